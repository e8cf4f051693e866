package cuda

import (
	"slices"
	"strings"

	ints "github.com/fencepost-dev/fencepost/integer"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

// integer evaluates an integer.
func (h *host) integer(x program.Expr, p *path) (int64, bool) {
	n, known := h.folded(x, p)
	return n.N, known
}

func (h *host) folded(x program.Expr, p *path) (ints.Number, bool) {
	if x == nil {
		return ints.Number{}, false
	}
	before, host := h.path, h.c.host
	h.path, h.c.host = p, h
	defer func() { h.path, h.c.host = before, host }()
	return h.c.folded(x)
}

// leaf is what an expression of the host is that the compiler does not know by itself; ours says whether it is one.
func (h *host) leaf(x program.Expr) (n ints.Number, known, ours bool) {
	if !h.worked() {
		return n, false, true
	}
	var v *cell
	switch x := x.(type) {
	case *program.Name:
		var found bool
		if v, found = h.path.find(x.Ident); !found {
			if v = h.valueOf(x, h.path); v == nil {
				return h.outer(x)
			}
		}
		if v != nil && v.alias != nil {
			v = h.behind(v, h.path)
		}
	case *program.Attr, *program.Index:
		v = h.eval(x, h.path)
		if _, attr := x.(*program.Attr); v == nil && attr {
			return n, false, false // of a class
		}
	case *program.Call:
		id, ok := x.Fun.(*program.Name)
		if ok && id.Ident == "sizeof" && len(x.Args) == 1 {
			return h.sizeof(x.Args[0])
		}
		if t := h.c.typeOf(identOf(x.Fun)); t != nil && t.integer() && len(x.Args) == 1 { // int(x)
			n, known := h.c.folded(x.Args[0])
			to := numberOf(t)
			return ints.Number{Type: to, N: to.Wrap(n.N)}, known, true
		}
		if !ok {
			return n, false, false
		}
		fn := h.function(id.Ident, len(x.Args))
		if fn == nil {
			return n, false, false
		}
		if h.near[fn] { // it is followed for what it launches, not for what it returns
			return n, false, true
		}
		v = h.eval(x, h.path)
	default:
		return n, false, false
	}
	if v == nil || v.number == nil {
		return n, false, true
	}
	return *v.number, true, true
}

func identOf(x program.Expr) string {
	if id, ok := x.(*program.Name); ok {
		return id.Ident
	}
	return ""
}

// outer is a name that the function does not declare: a member of its class, of another one, or of a namespace.
func (h *host) outer(x *program.Name) (n ints.Number, known, ours bool) {
	scope, last := "", x.Ident
	if k := strings.LastIndex(x.Ident, "::"); k >= 0 {
		scope, last = x.Ident[:k], x.Ident[k+2:]
	}
	alone := func(class, name string) (ints.Number, bool) {
		before := h.c.host
		h.c.host = nil
		defer func() { h.c.host = before }()
		return h.c.member(class, name)
	}
	if scope == "" {
		if t := h.itself(h.path); t != nil {
			defer h.within(h.path)()
			if n, known := h.c.member(h.c.ownerOf(h.in).Name, last); known {
				return n, true, true
			}
		} else if h.in.Class != nil {
			if n, known := alone(h.in.Class.Name, last); known {
				return n, true, true
			}
		}
		if v := h.c.lookup(last); v == nil || v.number == nil && v.macro == nil {
			n, known := h.global("", last)
			return n, known, known
		}
		return n, false, false
	}
	if first, _, _ := strings.Cut(scope, "::"); h.path != nil {
		if v, found := h.path.find(first); found && (v == nil || v.t == nil) {
			return n, false, true
		} else if found { // a type that the function declares, or that its template is given
			defer h.within(h.path)()
			n, known := h.c.member(scope, last)
			return n, known, true
		}
	}
	if t := h.itself(h.path); strings.HasSuffix(scope, ">") && h.path != nil || t != nil && t.names(scope) { // a template with its arguments, or what the class calls so
		defer h.within(h.path)()
		n, known := h.c.member(scope, last)
		return n, known, true
	}
	if _, inner := program.SplitName(scope); len(h.c.bySimple[inner]) > 0 {
		n, known := alone(inner, last)
		return n, known, true
	}
	if n, known = h.global(scope, last); !known {
		n.Type = ints.Int32
		n.N, known = h.c.enumerator(x.Ident)
	}
	return n, known, true
}

// global is a constant of a namespace; of one in the function's own, or around it, none is named.
func (h *host) global(scope, name string) (n ints.Number, known bool) {
	if h.deep >= maxHostDepth {
		return n, false
	}
	h.deep++
	before := h.path
	h.path = &path{scopes: []map[string]*cell{{}}}
	defer func() { h.path, h.deep = before, h.deep-1 }()
	met := false
	for _, f := range h.c.files {
		for _, st := range f.Body {
			a, ok := st.(*program.Assign)
			if !ok || !a.Decl || !a.Const || len(a.Targets) != 1 || identOf(a.Targets[0]) != name || scope != "" && !program.EndsIn(a.Scope, scope) {
				continue
			}
			m, is := h.c.folded(a.Value)
			if !is || met && m.N != n.N {
				return n, false
			}
			n, met = m, true
		}
	}
	return n, met
}

// sizeof is the size of a type, or of an array.
func (h *host) sizeof(x program.Expr) (n ints.Number, known, ours bool) {
	text := identOf(x)
	if s, ok := x.(*program.String); ok {
		text = strings.TrimSpace(s.Value)
	}
	size := int64(0)
	name := strings.TrimSuffix(strings.TrimPrefix(text, "("), ")")
	if v, found := h.path.find(name); found {
		if v != nil {
			size = v.size
		}
		if v != nil && v.t != nil {
			size = v.t.size
		}
	} else if t := h.c.typeOf(name); t != nil {
		size = t.size
	}
	switch {
	case size > 0 || h.number == 0:
	case strings.HasSuffix(name, "*"):
		size = pointerTo(voidType, ir.Generic).size
	default: // of a type that whoever uses the template says
		size = realType.size
		if s := (supposition{ir.SizeOf + name, size}); !slices.Contains(h.supposed, s) {
			h.supposed = append(h.supposed, s)
		}
	}
	return ints.Number{Type: ints.Type{Bits: 64}, N: size}, size > 0, true
}

// typeOf reads a type that stands where an expression may.
func (h *host) typeOf(x program.Expr, p *path) *ctype {
	id, ok := x.(*program.Name)
	if !ok {
		return nil
	}
	if v, known := p.find(id.Ident); known && len(id.Template) == 0 {
		if v == nil {
			return nil
		}
		return v.t
	}
	defer h.within(p)()
	if t := h.c.typeOfExpr(id); t != nil && t.sure() {
		return t
	}
	return nil
}

// eval is what an expression is.
func (h *host) eval(x program.Expr, p *path) *cell {
	if !h.worked() {
		return nil
	}
	switch x := x.(type) {
	case *program.Name:
		if v, found := p.find(x.Ident); found {
			if v != nil && v.alias != nil {
				if v = h.behind(v, p); v == nil || !v.array {
					return v
				}
			}
			if v != nil && v.array { // an array is where its elements are
				return &cell{ref: x.Ident}
			}
			return v
		}
		if v := h.valueOf(x, p); v != nil {
			return v
		}
		if v := h.constantNamed(x.Ident, p); v != nil {
			return v
		}
		if h.names(x.Ident, -1) {
			return &cell{kernel: h.instance(x.Template, p)}
		}
		if n, known := h.folded(x, p); known {
			return &cell{number: &n}
		}
		if fn := h.function(x.Ident, -1); fn != nil && h.near[fn] {
			return &cell{fn: fn}
		}
		v := &cell{symbol: x.Ident}
		if len(h.c.functions[lastName(x.Ident)]) > 0 {
			v.of = h.instance(x.Template, p)
		}
		return v
	case *program.Attr:
		v := h.resolved(h.eval(x.X, p), p)
		if v == nil || v.parts == nil || v.parts[x.Name] == nil {
			if n, known := h.member(x, p); known {
				return &cell{number: &n}
			}
			if _, found := p.find(identOf(x.X)); !found && !x.Arrow {
				if n, is := h.c.objects[identOf(x.X)][x.Name]; is { // of a constant object of a namespace
					return &cell{number: &n}
				}
			}
			return nil
		}
		return v.parts[x.Name]
	case *program.Index:
		v := h.resolved(h.eval(x.X, p), p)
		if v == nil || len(x.Args) != 1 {
			return nil
		}
		k, known := h.integer(x.Args[0], p)
		if !known {
			return nil
		}
		return v.parts[element(k)]
	case *program.Unary:
		switch x.Op {
		case "&":
			if id, ok := x.X.(*program.Name); ok {
				if v, found := p.find(id.Ident); found && (v == nil || v.kernel == nil) {
					return &cell{ref: id.Ident}
				}
			}
			return h.eval(x.X, p)
		case "*":
			return h.resolved(h.eval(x.X, p), p)
		}
	case *program.Binary:
		if _, known := h.folded(x, p); !known {
			return composed(x.Op, h.resolved(h.eval(x.X, p), p), h.resolved(h.eval(x.Y, p), p))
		}
	case *program.Cast:
		v := h.eval(x.X, p)
		if v != nil && v.same != "" {
			if t := h.typed(x.Type, p); t == nil || !t.countsThreads() {
				return nil
			}
		}
		if v != nil && v.number == nil {
			return v
		}
	case *program.Lambda:
		return &cell{body: x, file: h.file}
	case *program.List:
		out := &cell{parts: map[string]*cell{}}
		for k, e := range x.Elems {
			out.parts[element(int64(k))] = h.eval(e, p)
		}
		return out
	case *program.Cond:
		if n, known := h.integer(x.Test, p); known {
			if n != 0 {
				return h.eval(x.Then, p)
			}
			return h.eval(x.Else, p)
		}
		return nil
	case *program.Call:
		if t := h.typed(identOf(x.Fun), p); t == vectors["dim3"] && t != nil {
			return h.dims(x.Args, p)
		}
		if name := identOf(x.Fun); (name == "std::move" || name == "std::forward") && len(x.Args) == 1 {
			return h.eval(x.Args[0], p)
		}
		if v := h.constantObject(x, p); v != nil {
			return v
		}
		if v, found := p.find(identOf(x.Fun)); found && len(x.Args) == 0 && v != nil && v.number != nil && v.parts != nil { // which is its number when it is called, too
			return &cell{number: v.number}
		}
		if v := h.object(identOf(x.Fun), x.Args, p); v != nil {
			return v
		}
		if fn := h.function(identOf(x.Fun), len(x.Args)); fn != nil && !h.near[fn] {
			return h.called(fn, x, p)
		}
		if op := extremes[identOf(x.Fun)]; op != "" && len(x.Args) == 2 {
			if _, known := h.folded(x, p); !known {
				return composed(op, h.resolved(h.eval(x.Args[0], p), p), h.resolved(h.eval(x.Args[1], p), p))
			}
		}
	}
	if n, known := h.folded(x, p); known {
		return &cell{number: &n}
	}
	return nil
}

// constantObject is an object of a class that stands for one number: std::integral_constant (C++17 [meta.help]) and its kind; nil if it is none.
func (h *host) constantObject(call *program.Call, p *path) *cell {
	id, ok := call.Fun.(*program.Name)
	if !ok || len(call.Args) > 0 {
		return nil
	}
	given := call.Template
	if len(given) == 0 {
		given = id.Template
	}
	var n ints.Number
	known := false
	switch id.Ident {
	case "std::true_type", "std::false_type":
		n = ints.Number{Type: ints.Bool, N: int64(boolean(id.Ident == "std::true_type"))}
	case "std::integral_constant", "std::bool_constant", "cute::Int", "cute::C":
		if len(given) == 0 {
			return nil
		}
		if n, known = h.folded(given[len(given)-1], p); !known {
			return nil
		}
	default:
		return h.empty(h.file.Source.Text(call.Fun.Where()), p)
	}
	return &cell{number: &n, parts: map[string]*cell{"value": {number: &n}}}
}

// empty is an object of a class that nothing is in but what its type says: constants, and types; nil if it is of none. Its type may be an alias, of an alias of a template too.
func (h *host) empty(class string, p *path) *cell {
	t := h.typed(class, p)
	if t == nil || t.class == nil || t.opaque || len(t.fields) > 0 || !t.sure() {
		return nil
	}
	out := &cell{kind: t, class: t.class, parts: map[string]*cell{}}
	defer h.within(p)()
	for _, f := range t.class.Fields {
		if name := identOf(f.Targets[0]); f.Const && f.Static && f.Type != "using" {
			if n, known := h.c.member(class, name); known {
				out.parts[name] = &cell{number: &n}
			}
		}
	}
	if v := out.parts["value"]; v != nil {
		out.number = v.number
	}
	return out
}

// valueOf is a constant that the class of a variable has, decltype(x)::name, where nothing else is in the variable; nil if a name is not that.
func (h *host) valueOf(name *program.Name, p *path) *cell {
	of, typed := strings.CutPrefix(h.file.Source.Text(name.Span), "decltype(")
	of, member, valued := strings.Cut(of, ")::")
	if !typed || !valued {
		return nil
	}
	if v, found := p.find(of); found && v != nil && v.parts != nil && (v.number != nil || v.kind != nil) {
		return v.parts[member]
	}
	return nil
}

// behind is what a reference is another name of.
func (h *host) behind(v *cell, p *path) *cell {
	if h.deep >= maxHostDepth { // one of itself
		return nil
	}
	h.deep++
	defer func() { h.deep-- }()
	return h.eval(v.alias, p)
}

// member is a constant of a class.
func (h *host) member(x *program.Attr, p *path) (n ints.Number, known bool) {
	if id, ok := x.X.(*program.Name); ok {
		if _, found := p.find(id.Ident); !found {
			before := h.c.host
			h.c.host = nil
			defer func() { h.c.host = before }()
			return h.c.member(id.Ident, x.Name)
		}
	}
	return n, false
}

// function is the host's function of a name, where there is but one that takes so many arguments; nil where there is none.
func (h *host) function(name string, args int) *program.Function {
	if name == "" {
		return nil
	}
	_, last := program.SplitName(name)
	var found *program.Function
	for _, fn := range h.c.functions[last] {
		least := 0
		for _, p := range fn.Params {
			if p.Default == nil && p.Star == 0 {
				least++
			}
		}
		pack := len(fn.Params) > 0 && fn.Params[len(fn.Params)-1].Star != 0
		if fn.Kernel || args >= 0 && (args < least || args > len(fn.Params) && !pack) || !program.EndsIn(fn.Qualified, name) {
			continue
		}
		if found != nil {
			return nil
		}
		found = fn
	}
	return found
}
