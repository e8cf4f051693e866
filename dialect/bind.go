package dialect

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// bind gives the operation's parameters the call's arguments. It fails when a required argument is missing or there are
// more positional arguments than the row has parameters: then another row of the same name may fit.
func (r *row) bind(c *program.Call, receiver program.Expr) (map[string]Arg, bool) {
	given, ok := r.arguments(c)
	if !ok {
		return nil, false
	}
	args := map[string]Arg{}
	for _, a := range r.args {
		arg, present := a.value(r, c, receiver, given)
		if !present {
			continue
		}
		if a.name == "kind" && r.kind == FenceProxy {
			splitProxyKind(args, arg)
			continue
		}
		args[a.name] = canonical(a.name, arg)
	}
	for _, p := range parameters(r.kind) {
		if _, has := args[p.name]; !has && !p.optional {
			return nil, false
		}
	}
	return args, true
}

// arguments assigns positional and keyword arguments to the row's parameters; nil where absent.
func (r *row) arguments(c *program.Call) ([]program.Expr, bool) {
	if r.any {
		return nil, true
	}
	given := make([]program.Expr, len(r.params))
	next := 0
	for _, a := range c.Args {
		if _, starred := a.(*program.Starred); starred {
			break
		}
		if next >= len(r.params) || r.params[next].keyword {
			if r.more {
				break
			}
			return nil, false
		}
		given[next] = a
		next++
	}
	for _, k := range c.Keywords {
		if i := r.param(k.Name); i >= 0 {
			given[i] = k.Value
		}
	}
	for i, p := range r.params {
		if _, none := given[i].(*program.None); none {
			given[i] = nil
		}
		if given[i] == nil && !p.optional {
			return nil, false
		}
		if p.mentions != "" && (given[i] == nil || !mentions(given[i], p.mentions)) {
			return nil, false
		}
	}
	return given, true
}

// value evaluates one right-hand side of a row.
func (a rowArg) value(r *row, c *program.Call, receiver program.Expr, given []program.Expr) (Arg, bool) {
	var x program.Expr
	switch a.kind {
	case valueWord:
		return Arg{Text: a.ref}, true
	case valueInt:
		return intArg(c, int64(a.index)), true
	case valueParam:
		x = given[r.param(a.ref)]
	case valuePositional:
		if a.index < len(c.Args) {
			x = c.Args[a.index]
		}
	case valueKeyword:
		for _, k := range c.Keywords {
			if k.Name == a.ref {
				x = k.Value
			}
		}
	case valueTemplate:
		if a.index < len(c.Template) {
			x = c.Template[a.index]
		}
	case valueReceiver:
		x = receiver
		if x != nil && a.ref != "" {
			x = &program.Attr{Place: program.Place{Span: receiver.Where()}, X: receiver, Name: a.ref}
		}
	}
	if _, none := x.(*program.None); x == nil || none {
		return Arg{}, false
	}
	if a.when != "" {
		if b, constant := x.(*program.Bool); constant {
			return Arg{Text: a.when}, b.Value
		}
		return Arg{Expr: x}, true
	}
	// CUTLASS adds its eight reserved barriers only in the overload that takes an integer (cuda.md 1.3).
	if a.offset != 0 && !mentions(x, "ReservedNamedBarriers") {
		at := program.Place{Span: x.Where()}
		x = &program.Binary{Place: at, Op: "+", X: x, Y: &program.Int{Place: at, Value: a.offset}}
	}
	return Arg{Expr: x}, true
}

func intArg(n program.Node, v int64) Arg {
	return Arg{Expr: &program.Int{Place: program.Place{Span: n.Where()}, Value: v}}
}

// mentions reports whether a name in the expression contains word, whatever its case.
func mentions(x program.Expr, word string) bool {
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), strings.ToLower(word)) }
	switch e := x.(type) {
	case *program.Name:
		return has(e.Ident)
	case *program.String:
		return has(e.Value)
	case *program.Attr:
		return has(e.Name) || mentions(e.X, word)
	case *program.Index:
		return mentions(e.X, word)
	case *program.Call:
		return mentions(e.Fun, word)
	case *program.Cast:
		return mentions(e.X, word)
	}
	return false
}

var scopeWords = map[string]string{
	"cta": "cta", "block": "cta", "cluster": "cluster", "gpu": "gpu", "device": "gpu", "gl": "gpu", "sys": "sys", "system": "sys",
}

var semWords = map[string]string{
	"weak": "weak", "relaxed": "relaxed", "acquire": "acquire", "release": "release", "acq_rel": "acq_rel", "sc": "sc",
	"seq_cst": "sc", "volatile": "volatile", "consume": "acquire", "nc": "nc",
}

var spaceWords = map[string]string{
	"cta": "cta", "shared": "cta", "shared_cta": "cta", "cluster": "cluster", "shared_cluster": "cluster", "global": "global",
}

// canonical adds the canonical word to an argument that is a constant word of the source.
func canonical(name string, a Arg) Arg {
	words := map[string]map[string]string{"scope": scopeWords, "sem": semWords, "space": spaceWords}[name]
	if words == nil {
		return a
	}
	w := a.Text
	if a.Expr != nil {
		w = constantWord(a.Expr)
	}
	w = strings.ReplaceAll(strings.ToLower(w), "::", "_")
	for _, prefix := range []string{"memory_order_", "thread_scope_", "sem_", "scope_", "space_"} {
		w = strings.TrimPrefix(w, prefix)
	}
	a.Text = words[w]
	return a
}

// constantWord is a string literal's value or an enumerator's last component.
func constantWord(x program.Expr) string {
	switch e := x.(type) {
	case *program.String:
		return e.Value
	case *program.Attr:
		return e.Name
	case *program.Name:
		if c := components(e.Ident); len(c) > 0 {
			return c[len(c)-1]
		}
	}
	return ""
}

// splitProxyKind turns the spellings async.shared, async_global, ProxyKind.async_shared into kind and space.
func splitProxyKind(args map[string]Arg, a Arg) {
	w := a.Text
	if a.Expr != nil {
		w = constantWord(a.Expr)
	}
	w = strings.NewReplacer(".", "_", "::", "_").Replace(strings.ToLower(w))
	kind, space, split := strings.Cut(w, "_")
	args["kind"] = Arg{Expr: a.Expr, Text: kind}
	if split && args["space"].Text == "" {
		if s := spaceWords[space]; s != "" {
			args["space"] = Arg{Text: s}
		}
	}
}
