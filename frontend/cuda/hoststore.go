package cuda

import (
	"slices"
	"strings"

	ints "github.com/fencepost-dev/fencepost/integer"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// forget makes unknown what statements may set.
func (h *host) forget(p *path, body []program.Stmt) {
	name := func(x program.Expr) { h.spoil(x, p) }
	for _, st := range body {
		program.Walk(st, func(n program.Node) bool {
			h.work++
			switch n := n.(type) {
			case *program.Assign:
				if !n.Decl {
					for _, t := range n.Targets {
						name(t)
					}
				}
			case *program.AssignExpr:
				name(n.Target)
			case *program.IncDec:
				name(n.X)
			case *program.Unary:
				if n.Op == "&" {
					name(n.X)
				}
			case *program.Call:
				if launches[h.apiOf(n)] == nil && len(n.Launch) == 0 {
					h.lend(n, p, name)
				}
				callee := identOf(n.Fun)
				if a, ok := n.Fun.(*program.Attr); ok && a.Name == "operator()" {
					callee = identOf(a.X)
				}
				v, found := p.find(callee)
				closure := found && v != nil && v.body != nil
				if a, ok := n.Fun.(*program.Attr); ok && !closure && !h.looks(a.Name) {
					name(a.X)
				}
				if closure && h.deep < maxHostDepth {
					h.deep++
					h.forget(p, v.body.Body)
					h.deep--
				}
			case *program.ExprStmt:
				if call, ok := n.X.(*program.Call); ok {
					h.discarded(call, p)
				}
			case *program.Binary:
				if _, known := h.folded(n.X, p); n.Op == ">>" && !known { // of a stream
					name(n.Y)
				}
			case *program.OpaqueStmt:
				h.forgetText(p, n.Span)
			}
			return true
		})
	}
}

// spoil makes unknown what an expression names, whichever part of it, and what it leads to.
func (h *host) spoil(x program.Expr, p *path) {
	through := false // a pointer
	for hops := 0; hops < 64; hops++ {
		switch on := x.(type) {
		case *program.Attr:
			through, x = through || on.Arrow, on.X
			continue
		case *program.Index:
			through, x = true, on.X
			continue
		case *program.Unary:
			if on.Op == "*" {
				through, x = true, on.X
				continue
			}
		case *program.Cast:
			x = on.X
			continue
		case *program.Name:
			v, known := p.find(on.Ident)
			switch {
			case known && v != nil && v.alias != nil:
				x = v.alias
				continue
			case known && v != nil && v.ref != "":
				p.set(v.ref, nil)
			case through && (v == nil || !v.array && v.parts == nil):
				h.forgetAddressed(p)
			}
			if known {
				p.set(on.Ident, h.changed(on.Ident, v))
			}
			return
		}
		h.forgetAddressed(p)
		return
	}
}

// changed is what a variable holds that may have been set: one number, if it held one.
func (h *host) changed(name string, v *cell) *cell {
	if v == nil || v.parts != nil || v.same == "" && (v.number == nil || v.number.Bits < 32) {
		return nil
	}
	defer h.anew()()
	return h.same(name, -1)
}

// lend finds what a call may set: arguments of references that are not constant, and what has no value yet.
func (h *host) lend(call *program.Call, p *path, set func(program.Expr)) {
	id, ok := call.Fun.(*program.Name)
	var fn *program.Function
	if ok {
		fn = h.function(id.Ident, len(call.Args))
	}
	if ok && fn == nil && (h.c.typeOf(id.Ident) != nil || id.Ident == "std::move" || id.Ident == "std::forward") {
		return
	}
	for k, a := range call.Args {
		arg, bare := a.(*program.Name)
		if !bare {
			continue
		}
		if v, known := p.find(arg.Ident); known && v != nil && v.ref != "" { // where it points to
			p.set(v.ref, nil)
		}
		switch {
		case fn != nil && k < len(fn.Params):
			q := fn.Params[k]
			if fn.Macro && assigns(fn.Body, q.Name) || !fn.Macro && q.Ref && !isConst(q.Type) {
				set(a)
			}
		case fn == nil && ok && h.copies(id.Ident, k):
		case fn == nil:
			if v, known := p.find(arg.Ident); known && v != nil && v.number == nil && v.same == "" && v.kernel == nil && v.body == nil { // made to be filled
				set(a)
			}
		}
	}
}

// copies reports whether all functions of a name that are at hand take an argument as a copy, or promise not to change it.
func (h *host) copies(name string, k int) bool {
	_, last := program.SplitName(name)
	all := h.c.functions[last]
	return len(all) > 0 && !slices.ContainsFunc(all, func(fn *program.Function) bool {
		return fn.Macro || k >= len(fn.Params) || fn.Params[k].Star != 0 || (fn.Params[k].Ref || strings.HasSuffix(fn.Params[k].Type, "&")) && !isConst(fn.Params[k].Type)
	})
}

// discarded is a call whose result nobody wants: it is made for what it does, perhaps to its arguments.
func (h *host) discarded(call *program.Call, p *path) {
	name := identOf(call.Fun)
	if _, local := p.find(name); local || len(call.Launch) > 0 || launches[h.apiOf(call)] != nil || h.asks(call) || printers[name] || h.function(name, len(call.Args)) != nil || h.c.typeOf(name) != nil {
		return
	}
	for _, a := range call.Args {
		if id, ok := a.(*program.Name); ok {
			p.set(id.Ident, nil)
		}
	}
}

// forgetText makes unknown what an unread text names.
func (h *host) forgetText(p *path, at source.Span) {
	text := h.file.Source.Text(at)
	h.work += len(text) / 8
	named := words(text)
	for _, s := range p.scopes {
		for name := range s {
			if named[name] {
				s[name] = nil
				p.again(name)
			}
		}
	}
}

// words are the identifiers of a text.
func words(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range program.Words(text) {
		out[w] = true
	}
	return out
}

// assign is a declaration or an assignment. A choice by what is not known makes two paths.
func (h *host) assign(st *program.Assign, p *path) []*path {
	if call, ok := st.Value.(*program.Call); ok && len(call.Launch) == 0 {
		if fn := h.function(identOf(call.Fun), len(call.Args)); fn != nil && h.near[fn] { // it may choose the kernel
			for _, a := range call.Args {
				h.effects(a, p)
			}
			var out []*path
			for _, v := range h.outcomes(fn, call, p) {
				q := p.fork()
				q.declare(chosen, v)
				h.bind(st, &program.Name{Place: st.Place, Ident: chosen}, q)
				out = append(out, q)
			}
			if out != nil {
				return out
			}
		}
	}
	if st.Value != nil {
		h.effects(st.Value, p)
	}
	return h.bindEach(st, st.Value, p)
}

// isConst reports whether what a type is of, or a reference refers to, is not changed.
func isConst(typed string) bool { return slices.Contains(tokens(typed).list, "const") }

// bindEach gives the targets of an assignment a value, on each way that conditions in it have.
func (h *host) bindEach(st *program.Assign, x program.Expr, p *path) (out []*path) {
	choice, ok := x.(*program.Cond)
	if !ok {
		h.bind(st, x, p)
		return []*path{p}
	}
	for _, way := range h.ways(choice.Test, p) {
		x := choice.Else
		if way.taken {
			x = choice.Then
		}
		out = append(out, h.bindEach(st, x, way.path)...)
	}
	return out
}

// bind gives the targets of an assignment a value.
func (h *host) bind(st *program.Assign, x program.Expr, p *path) {
	if len(st.Targets) != 1 {
		for _, t := range st.Targets {
			h.store(t, nil, p)
		}
		return
	}
	id, named := st.Targets[0].(*program.Name)
	switch {
	case st.Decl && !named:
		program.WalkExprs(st.Targets[0], func(e program.Expr) bool {
			if id, ok := e.(*program.Name); ok {
				p.declare(id.Ident, nil)
			}
			return true
		})
	case st.Decl && st.Type == "using":
		p.declare(id.Ident, &cell{t: h.typeOf(x, p)})
	case st.Decl && strings.HasSuffix(st.Type, "&"):
		if h.rooted(x, p) {
			p.declare(id.Ident, &cell{alias: x})
			break
		}
		h.forget(p, []program.Stmt{&program.ExprStmt{X: &program.Unary{Op: "&", X: x}}})
		p.declare(id.Ident, h.initial(st, x, p))
	case st.Decl:
		v := h.initial(st, x, p)
		p.declare(id.Ident, v)
		if name := h.renames[id.Ident]; name != "" {
			p.declare(name, v)
		}
	case st.Op == "=":
		h.store(st.Targets[0], h.converted(h.eval(x, p), st.Targets[0], p), p)
	default:
		op := strings.TrimSuffix(st.Op, "=")
		of := &program.Binary{Place: st.Place, Op: op, X: st.Targets[0], Y: x}
		n, known := h.folded(of, p)
		var v *cell
		if known {
			v = &cell{number: &n}
		} else if v = h.eval(of, p); v != nil && v.same == "" {
			v = nil
		}
		h.store(st.Targets[0], h.converted(v, st.Targets[0], p), p)
	}
}

// rooted reports whether an expression is a variable of the function, or a member of one.
func (h *host) rooted(x program.Expr, p *path) bool {
	for {
		switch on := x.(type) {
		case *program.Attr:
			if on.Arrow {
				return false
			}
			x = on.X
			continue
		case *program.Name:
			v, found := p.find(on.Ident)
			return found && (v == nil || v.ref == "")
		}
		return false
	}
}

// initial is what a declaration gives its variable.
func (h *host) initial(st *program.Assign, x program.Expr, p *path) *cell {
	t := h.typed(st.Type, p)
	words := strings.Fields(st.Type)
	words = slices.DeleteFunc(words, func(w string) bool { return w == "const" || w == "static" || w == "struct" })
	isConfig := len(words) == 1 && words[0] == "cudaLaunchConfig_t"
	switch {
	case len(st.Dims) > 0:
		out := &cell{parts: map[string]*cell{}, array: true}
		list, ok := x.(*program.List)
		if !ok {
			return out
		}
		for k, e := range list.Elems {
			out.parts[element(int64(k))] = h.eval(e, p)
		}
		if t != nil {
			out.size = t.size * int64(len(list.Elems))
		}
		return out
	case t == vectors["dim3"]:
		if x == nil {
			return dim3(nil)
		}
		return h.shape(x, p)
	case isConfig && (x == nil || isList(x)):
		out := &cell{parts: map[string]*cell{}}
		list, ok := x.(*program.List)
		for k := 0; ok && k < len(list.Elems); k++ {
			name, e := "", list.Elems[k]
			if d, is := e.(*program.AssignExpr); is {
				if id, is := d.Target.(*program.Name); is {
					name, e = id.Ident, d.Value
				}
			} else if k < len(config) {
				name = config[k]
			}
			if name == "gridDim" || name == "blockDim" {
				out.parts[name] = h.shape(e, p)
			} else {
				out.parts[name] = h.eval(e, p)
			}
		}
		return out
	case x == nil || slices.Contains(words, "cudaLaunchAttribute"):
		if id, named := st.Targets[0].(*program.Name); named && t != nil && t.countsThreads() {
			return h.same(id.Ident, id.Span.Start)
		}
		if t != nil && t.scalarLike() {
			return nil
		}
		if v := h.object(strings.Join(words, " "), nil, p); v != nil && x == nil {
			return v
		}
		return &cell{parts: map[string]*cell{}}
	}
	if list, ok := x.(*program.List); ok {
		if v := h.object(strings.Join(words, " "), list.Elems, p); v != nil {
			return v
		}
	}
	v := h.held(h.eval(x, p), t)
	if id, named := st.Targets[0].(*program.Name); v == nil && named && (t != nil && t.countsThreads() || t == nil && slices.Equal(words, []string{"auto"})) {
		return h.same(id.Ident, id.Span.Start)
	}
	if v != nil && v.number != nil && t != nil {
		if !t.integer() {
			return nil
		}
		to := numberOf(t)
		v = &cell{number: &ints.Number{Type: to, N: to.Wrap(v.number.N)}}
		if t.boolean && v.number.N != 0 {
			v.number.N = 1
		}
	}
	return v
}

// converted is a value as the target that it is assigned to has it.
func (h *host) converted(v *cell, target program.Expr, p *path) *cell {
	old := h.eval(target, p)
	isShape := old != nil && old.parts != nil && old.parts["x"] != nil
	if a, ok := target.(*program.Attr); ok && (a.Name == "gridDim" || a.Name == "blockDim" || a.Name == "clusterDim") {
		isShape = true
	}
	if v != nil && isShape {
		switch {
		case v.number != nil, v.same != "":
			return dim3([]*cell{v})
		case v.parts["[0]"] != nil:
			return dim3([]*cell{v.parts["[0]"], v.parts["[1]"], v.parts["[2]"]}[:min(len(v.parts), 3)])
		}
	}
	id, named := target.(*program.Name)
	a, member := target.(*program.Attr)
	switch {
	case named && old != nil && old.same != "" && v == nil: // it counts threads, as what it is given now does
		return h.same(id.Ident, id.Span.Start)
	case v == nil || v.same == "" || named && old != nil && old.same != "" || member && (a.Name == "x" || a.Name == "y" || a.Name == "z"):
		return v
	}
	return nil // of what type the target is, is not known
}

// store assigns to a place.
func (h *host) store(target program.Expr, v *cell, p *path) {
	var keys []string
	hops, through := 0, false // a pointer
	for x := target; ; {
		switch on := x.(type) {
		case *program.Attr:
			through = through || on.Arrow
			keys, x = append(keys, on.Name), on.X
			continue
		case *program.Index:
			k, known := int64(0), false
			if len(on.Args) == 1 {
				k, known = h.integer(on.Args[0], p)
			}
			if !known {
				keys, v = nil, nil // some element
			} else {
				keys = append(keys, element(k))
			}
			x, through = on.X, true
			continue
		case *program.Unary:
			if on.Op == "*" {
				x, through = on.X, true
				continue
			}
		case *program.Cast:
			x = on.X
			continue
		case *program.Name:
			old, known := p.find(on.Ident)
			if hops++; known && old != nil && old.alias != nil && hops < 8 {
				x = old.alias
				continue
			}
			name := on.Ident
			for hops := 0; known && old != nil && old.ref != "" && (through || len(keys) > 0) && hops < 4; hops++ {
				name, through = old.ref, false
				old, known = p.find(name)
			}
			if through && (old == nil || !old.array && old.parts == nil) { // it may lead to what has its address taken
				h.forgetAddressed(p)
			}
			slices.Reverse(keys)
			p.set(name, old.with(keys, v))
			return
		}
		h.forgetAddressed(p)
		return
	}
}

// forgetAddressed makes unknown the variables of a function whose addresses something may hold.
func (h *host) forgetAddressed(p *path) {
	if h.in == nil {
		return
	}
	taken, known := h.addressed[h.in]
	if !known {
		taken = map[string]bool{}
		for _, st := range h.in.Body {
			program.Walk(st, func(n program.Node) bool {
				if call, ok := n.(*program.Call); ok && launches[h.apiOf(call)] != nil {
					return false
				}
				u, ok := n.(*program.Unary)
				for x := program.Expr(nil); ok && u.Op == "&"; {
					if x == nil {
						x = u.X
					}
					switch on := x.(type) {
					case *program.Attr:
						x = on.X
						continue
					case *program.Index:
						x = on.X
						continue
					case *program.Name:
						taken[on.Ident] = true
					}
					break
				}
				return true
			})
		}
		h.addressed[h.in] = taken
	}
	for name := range taken {
		if v, found := p.find(name); found && v != nil && v.kernel == nil {
			p.set(name, nil)
		}
	}
}
