package cuda

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// What a call on the host does not say of a template follows from the types of its arguments (C++17 [temp.deduct.call]). These are the declared ones: they do not
// depend on what the host does.

// hostName is how a function declares a name, and where it is one.
type hostName struct {
	scope source.Span
	typed string // "" where its type is not followed
	value program.Expr
	dims  int
}

// within has names of types mean what they do on a path, until what it gives is called.
func (h *host) within(p *path) func() {
	c := h.c
	before, host := c.scope, c.host
	outer := c.fileScoped()
	if t := h.itself(p); t != nil {
		outer = t.env
	}
	s := newScope(outer)
	s.later = func(name string) {
		if s.names[name] != nil || s.kinds[name] != nil {
			return
		}
		v, known := p.find(name)
		switch {
		case !known:
		case v != nil && v.t != nil:
			s.kinds[name] = v.t
		case v != nil && v.kind != nil: // decltype asks for it
			s.names[name] = &variable{t: v.kind, reg: -1, lost: true}
		case v != nil && v.number != nil:
			n := v.number.N
			s.names[name] = &variable{t: scalar(v.number.Bits, v.number.Signed, false), reg: -1, number: &n}
		default:
			s.names[name] = &variable{t: opaqueType(""), reg: -1, lost: true}
		}
		if s.kinds[name] == nil && h.parameter(name) {
			s.kinds[name] = opaqueType(name)
		}
	}
	c.scope, c.host = s, nil // a name within a class is none of the function's
	return func() { c.scope, c.host = before, host }
}

// parameter reports whether a name is a type that the template of a function is given: where it is not known, it is no type of that name elsewhere.
func (h *host) parameter(name string) bool {
	for k := len(h.calls) - 1; k >= 0; k-- {
		fn := h.calls[k]
		if fn == nil {
			continue
		}
		if slices.ContainsFunc(fn.Template, func(t program.Param) bool { return t.Type == "typename" && t.Name == name }) {
			return true
		}
		if !fn.Macro {
			break
		}
	}
	return false
}

// typed is the type that a text names on a path; nil where it is not known.
func (h *host) typed(text string, p *path) *ctype {
	if v, known := p.find(strings.TrimPrefix(text, "const ")); known && v != nil && v.t != nil {
		return v.t
	}
	defer h.within(p)()
	return h.c.typeOf(text)
}

// sure reports whether a type has no part of which nothing is known.
func (t *ctype) sure() bool {
	for t != nil && t.to != nil {
		t = t.to
	}
	return t != nil && !t.opaque && !t.guessed && !slices.ContainsFunc(t.args, func(a argument) bool { return a.t == nil && a.number == nil || a.t != nil && !a.t.sure() })
}

// namesOf are the names that a function declares, each declaration in order.
func (h *host) namesOf(fn *program.Function) map[string][]hostName {
	if out, known := h.spellings[fn]; known {
		return out
	}
	r := hostNames{}
	r.params(fn.Params, fn.Span.End)
	r.list(fn.Body, 0)
	if h.spellings == nil {
		h.spellings = map[*program.Function]map[string][]hostName{}
	}
	h.spellings[fn] = r
	return r
}

// hostNames collects the declarations of a function (C++17 [basic.scope.block]).
type hostNames map[string][]hostName

func (r hostNames) params(list []program.Param, end int) {
	for _, q := range list {
		if q.Star == 0 {
			r[q.Name] = append(r[q.Name], hostName{scope: source.Span{Start: q.Span.Start, End: end}, typed: q.Type})
		}
	}
}

// list looks at the statements of a block, or, with what stands in its head, of a loop, which ends at a place if one is given.
func (r hostNames) list(body []program.Stmt, end int) {
	if len(body) == 0 {
		return
	}
	end = max(end, body[len(body)-1].Where().End)
	for _, st := range body {
		program.WalkExprs(st, func(x program.Expr) bool {
			if f, is := x.(*program.Lambda); is {
				r.params(f.Params, f.Span.End)
				r.list(f.Body, f.Span.End)
				return false
			}
			return true
		})
		switch st := st.(type) {
		case *program.Assign:
			for _, t := range st.Targets {
				if id, is := t.(*program.Name); is && st.Decl && st.Type != "using" {
					r[id.Ident] = append(r[id.Ident], hostName{source.Span{Start: st.Span.Start, End: end}, st.Type, st.Value, len(st.Dims)})
				}
			}
		case *program.If:
			r.list(st.Then, 0)
			r.list(st.Else, 0)
		case *program.For:
			if id, is := st.Target.(*program.Name); is {
				r[id.Ident] = append(r[id.Ident], hostName{scope: st.Span})
			}
			r.list(st.Init, st.Span.End)
			r.list(st.Body, 0)
		case *program.While:
			r.list(st.Body, 0)
		case *program.Block:
			r.list(st.Body, 0)
		case *program.Try:
			r.list(st.Body, 0)
			for _, handler := range st.Handlers {
				r.list(handler.Body, 0)
			}
		}
	}
}

// static is the type of an expression of the function at hand; nil where it is not known.
func (h *host) static(x program.Expr, p *path) *ctype {
	if h.deep >= maxHostDepth || x == nil || !h.worked() {
		return nil
	}
	h.deep++
	defer func() { h.deep-- }()
	switch x := x.(type) {
	case *program.Name:
		return h.staticName(x, p)
	case *program.Bool:
		return boolType
	case *program.Int:
		if n, known := h.folded(x, p); known {
			return scalarOf(n.Bits, n.Signed)
		}
	case *program.Float:
		if strings.HasSuffix(strings.ToLower(x.Text), "f") {
			return realType
		}
		return scalars["double"]
	case *program.Cast:
		return h.typed(x.Type, p)
	case *program.Cond:
		if a, b := h.static(x.Then, p), h.static(x.Else, p); a != nil && b != nil && a.key() == b.key() {
			return a
		}
	case *program.Unary:
		t := h.static(x.X, p)
		switch {
		case t == nil:
		case x.Op == "&":
			return pointerTo(t, ir.Generic)
		case x.Op == "*":
			return t.to
		case (x.Op == "-" || x.Op == "+" || x.Op == "~") && t.number.Bits >= 32: // what is narrower is promoted
			return t
		}
	case *program.Index:
		if t := h.static(x.X, p); t != nil {
			return t.to
		}
	case *program.Attr:
		t := h.static(x.X, p)
		if t != nil && x.Arrow {
			t = t.to
		}
		if t != nil && t.fields != nil {
			if f, is := t.member(x.Name); is {
				return f.t
			}
		}
	case *program.Binary:
		a, b := h.static(x.X, p), h.static(x.Y, p)
		switch {
		case a == nil || b == nil:
		case a.to != nil && b.integer() && (x.Op == "+" || x.Op == "-"):
			return a
		case a.scalarLike() && b.scalarLike() && a.to == nil && b.to == nil && a.key() == b.key() && a.size >= 4 && strings.Contains("+-*/%&|^", x.Op):
			return a
		}
	case *program.Call:
		return h.staticCall(x, p)
	}
	return nil
}

// scalarOf is the type of an integer.
func scalarOf(bits uint8, signed bool) *ctype {
	for _, t := range []*ctype{intType, uintType, longType, ulongOf} {
		if t.number.Bits == bits && t.number.Signed == signed {
			return t
		}
	}
	return nil
}

// staticName is the type of a name: in the function whose text it stands in, or, where that is a macro, in those that use it.
func (h *host) staticName(x *program.Name, p *path) *ctype {
	stands := true // what is looked at is where the name stands
	for k := len(h.calls) - 1; k >= 0; k-- {
		fn := h.calls[k]
		if fn == nil || stands && (h.c.of[fn] != h.file || x.Span.Start < fn.Span.Start || x.Span.End > fn.Span.End) { // of a function without a name, or a block that a macro is given
			continue
		}
		var last *hostName
		all := h.namesOf(fn)[x.Ident]
		for n := range all {
			d := &all[n]
			switch {
			case stands && d.scope.Start < x.Span.Start && x.Span.Start < d.scope.End && (last == nil || d.scope.Start > last.scope.Start):
				last = d
			case !stands && last != nil && (last.typed != d.typed || last.dims != d.dims):
				return nil
			case !stands:
				last = d
			}
		}
		if n := slices.IndexFunc(fn.Params, func(q program.Param) bool { return q.Name == x.Ident }); fn.Macro && n >= 0 {
			return h.staticGiven(k, n, p)
		}
		if last != nil {
			if !stands && strings.Contains(last.typed, "auto") {
				return nil
			}
			return h.staticOf(last, p)
		}
		if !fn.Macro {
			break
		}
		stands = false
	}
	if _, local := p.find(x.Ident); local {
		return nil
	}
	if t := h.typed(x.Ident, p); t != nil { // a type that is handed by its name
		return nil
	}
	if v := h.c.lookup(x.Ident); v != nil && v.t != nil && v.macro == nil && v.input == "" && !v.t.opaque {
		return v.t
	}
	return nil
}

// macroUse is a use of a macro that is followed.
type macroUse struct {
	fn   *program.Function
	args []program.Expr
	file *program.File
}

// staticGiven is the type of what a macro is given for a parameter, where it is used.
func (h *host) staticGiven(call, param int, p *path) *ctype {
	for k := len(h.uses) - 1; k >= 0; k-- {
		if u := h.uses[k]; u.fn == h.calls[call] && param < len(u.args) {
			calls, file, uses := h.calls, h.file, h.uses
			h.calls, h.file, h.uses = calls[:call], u.file, uses[:k]
			defer func() { h.calls, h.file, h.uses = calls, file, uses }()
			return h.static(u.args[param], p)
		}
	}
	return nil
}

// staticOf is the type that a declaration gives its name.
func (h *host) staticOf(d *hostName, p *path) *ctype {
	text := strings.TrimSpace(strings.NewReplacer("const ", "", " const", "", "&", "", "static ", "", "constexpr ", "").Replace(d.typed))
	switch {
	case text == "auto":
		return h.static(d.value, p)
	case text == "auto*":
		if t := h.static(d.value, p); t.pointer() {
			return t
		}
		return nil
	case text == "":
		return nil
	}
	t := h.typed(d.typed, p)
	for range d.dims {
		if t != nil {
			t = pointerTo(t, ir.Generic)
		}
	}
	return t
}

// dataPointers are methods of tensors that give a pointer to their elements, by the type that the call names (PyTorch C++ API, at::Tensor).
var dataPointers = map[string]bool{"data_ptr": true, "mutable_data_ptr": true, "const_data_ptr": true}

// staticCall is the type of what a call gives.
func (h *host) staticCall(x *program.Call, p *path) *ctype {
	if a, is := x.Fun.(*program.Attr); is {
		if dataPointers[a.Name] && len(x.Template) == 1 && len(x.Args) == 0 {
			if t := h.typeOf(x.Template[0], p); t != nil {
				return pointerTo(t, ir.Generic)
			}
			return nil
		}
		t := h.static(a.X, p)
		if t != nil && a.Arrow {
			t = t.to
		}
		if t == nil || t.class == nil || t.env == nil {
			return nil
		}
		var of *ctype
		for _, m := range t.class.Methods {
			if m.Name != a.Name || len(m.Template) > 0 {
				continue
			}
			before := h.c.scope
			h.c.scope = newScope(t.env)
			result := h.c.typeOf(m.Result)
			h.c.scope = before
			if result == nil || of != nil && of.key() != result.key() {
				return nil
			}
			of = result
		}
		return of
	}
	id, is := x.Fun.(*program.Name)
	if !is {
		return nil
	}
	given := x.Template
	if len(given) == 0 {
		given = id.Template
	}
	if (id.Ident == "std::move" || id.Ident == "std::forward") && len(x.Args) == 1 {
		return h.static(x.Args[0], p)
	}
	if fn := h.function(id.Ident, len(x.Args)); fn != nil && !fn.Macro && fn.Result != "auto" {
		params := h.templates(fn, given, x.Args, p)
		before := h.calls
		h.calls = append(slices.Clone(h.calls), fn)
		defer func() { h.calls = before }()
		return h.typed(fn.Result, &path{scopes: []map[string]*cell{params}})
	}
	if of := h.typeOf(&program.Name{Place: id.Place, Ident: id.Ident, Template: given}, p); of != nil { // an object that is made
		return of
	}
	return nil
}

// deduced is what the arguments of a call say of the parameters of a template.
func (h *host) deduced(template, params []program.Param, args []program.Expr, p *path) map[string]argument {
	out := map[string]argument{}
	if len(template) == 0 {
		return out
	}
	for k, q := range params {
		if k >= len(args) || q.Star != 0 {
			break
		}
		if !slices.ContainsFunc(template, func(t program.Param) bool { return slices.Contains(tokens(q.Type).list, t.Name) }) {
			continue
		}
		if t := h.static(args[k], p); t != nil && t.sure() {
			h.c.deduce(template, h.c.spelled(q.Type), t, out)
		}
	}
	return out
}

// completed is an instance of the kernel with what the arguments of its launch say of the rest of its template.
func (h *host) completed(as *instance, args []program.Expr, p *path) *instance {
	template := h.kernel.Template
	if len(as.args) >= len(template) && !slices.Contains(as.args, nil) {
		return as
	}
	said := h.deduced(template, h.kernel.Params, args, p)
	if len(said) == 0 {
		return as
	}
	out := &instance{args: slices.Clone(as.args), texts: slices.Clone(as.texts)}
	last := len(out.args)
	for k, q := range template {
		if q.Star != 0 {
			break
		}
		if k >= len(out.args) {
			out.args, out.texts = append(out.args, nil), append(out.texts, "")
		}
		if a, is := said[q.Name]; is && out.args[k] == nil && k >= len(as.args) { // what is said is not deduced
			switch {
			case a.t != nil && a.t.sure():
				out.args[k], last = &cell{t: a.t}, k+1
			case a.number != nil:
				out.args[k], last = number(*a.number), k+1
			}
		}
	}
	out.args, out.texts = out.args[:last], out.texts[:last]
	return out
}
