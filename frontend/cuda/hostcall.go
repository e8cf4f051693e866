package cuda

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// enter follows a function with what its parameters are, and gives the ways out of it.
func (h *host) enter(fn *program.Function, params map[string]*cell, around *path) []*path {
	f := h.c.of[fn]
	if f == nil || len(h.calls) >= maxHostCalls || h.entered(fn) {
		return nil
	}
	in, file := h.in, h.file
	h.in, h.file, h.calls = fn, f, append(h.calls, fn)
	if fn.Macro && in != nil { // so its text stands in the class, and the namespace, of that place
		there := *fn
		there.Class, there.Qualified = in.Class, in.Qualified
		h.in = &there
	}
	defer func() { h.in, h.file, h.calls = in, file, h.calls[:len(h.calls)-1] }()
	p := &path{took: map[string]bool{}}
	if fn.Macro && around != nil { // its body sees the names of the place where it is used
		p = around.fork()
	}
	all := map[string]*cell{}
	for _, t := range fn.Template {
		all[t.Name] = nil
	}
	defer h.anew()()
	for _, q := range fn.Params {
		all[q.Name] = nil
		switch t := h.typed(strings.TrimSuffix(q.Type, "&"), p); {
		case t == nil || q.Ref && !words(q.Type)["const"]:
		case t.countsThreads() && !q.Ref:
			all[q.Name] = h.same(q.Name, fn.Span.Start)
		case t.class != nil && q.Star == 0:
			all[q.Name] = h.members(t, q.Name, fn.Span.Start)
		}
	}
	for name, v := range params {
		all[name] = v
	}
	p.scopes = append(p.scopes, all)
	return h.run(fn.Body, []*path{p})
}

// members is an object of which no more is known than that the members that count threads have one number each.
func (h *host) members(t *ctype, name string, at int) *cell {
	out := &cell{parts: map[string]*cell{}, class: t.class}
	for _, f := range t.fields[:min(len(t.fields), maxMembers)] {
		if v := h.same(name+"."+f.name, at); v != nil && f.t.countsThreads() {
			out.parts[f.name] = v
		}
	}
	if len(out.parts) == 0 {
		return nil
	}
	return out
}

// entered reports whether a function is being followed already. A macro may be used once more in a block, or a function without a name, that it is given.
func (h *host) entered(fn *program.Function) bool {
	for k := len(h.calls) - 1; k >= 0; k-- {
		switch h.calls[k] {
		case fn:
			return true
		case nil:
			if fn.Macro {
				return false
			}
		}
	}
	return false
}

// effects follows what an expression does besides its value: launches, calls that lead to them, and assignments.
func (h *host) effects(x program.Expr, p *path) {
	program.WalkExprs(x, func(e program.Expr) bool {
		if !h.worked() {
			return false
		}
		switch e := e.(type) {
		case *program.Lambda:
			return false // followed where it is called, or given to a call
		case *program.AssignExpr:
			h.effects(e.Value, p)
			var v *cell
			if e.Op == "=" {
				v = h.converted(h.eval(e.Value, p), e.Target, p)
			}
			h.store(e.Target, v, p)
			return false
		case *program.IncDec:
			n, known := h.folded(e.X, p)
			var v *cell
			if known {
				if n.N++; e.Op == "--" {
					n.N -= 2
				}
				v = &cell{number: &n}
			}
			h.store(e.X, v, p)
			return false
		case *program.Call:
			h.call(e, p)
			return false
		case *program.Binary:
			if e.Op != ">>" {
				break
			}
			if _, known := h.folded(e.X, p); !known { // of a stream
				h.store(e.Y, nil, p)
			}
		}
		return true
	})
}

// call follows a call.
func (h *host) call(call *program.Call, p *path) {
	for _, a := range slices.Concat(call.Launch, call.Args) {
		h.effects(a, p)
	}
	if a, ok := call.Fun.(*program.Attr); ok {
		if a.Name == "operator()" {
			if v := h.eval(a.X, p); v != nil && v.body != nil { // f.template operator()<16>()
				h.closure(v, call, p)
				return
			}
		}
		h.effects(a.X, p)
		if !h.looks(a.Name) {
			h.store(a.X, nil, p) // a method may change its object
		}
	}
	callee := identOf(call.Fun)
	if callee == "static_assert" && len(call.Args) > 0 {
		if n, known := h.integer(call.Args[0], p); known && n == 0 { // the program is not compiled with what was taken for granted
			p.left, p.ended, h.denied = true, true, true
		}
		return
	}
	var v *cell
	if callee != "" {
		if v, _ = p.find(callee); v != nil && v.alias != nil {
			v = h.behind(v, p)
		}
	} else {
		v = h.eval(call.Fun, p)
	}
	if v != nil && v.body != nil {
		h.closure(v, call, p)
		return
	}
	if v != nil && v.fn != nil {
		h.called(v.fn, call, p)
		return
	}
	if len(call.Launch) >= 2 {
		h.launch(call, v, p)
		return
	}
	if a := launches[h.apiOf(call)]; a != nil {
		h.byFunction(a, call, p)
		return
	}
	fn := h.function(callee, len(call.Args))
	if fn != nil && (h.near[fn] || fn.Macro && slices.ContainsFunc(fn.Body, declaring) || h.hands(call, p)) {
		for _, a := range call.Args {
			if body, is := a.(*program.Lambda); is {
				delete(h.ran, body)
			}
		}
		h.called(fn, call, p)
		h.elsewhere(call, p)
		return
	}
	if fn == nil {
		h.elsewhere(call, p)
		h.handedOn(call, callee, p)
	}
	forget := func(x program.Expr) { h.store(x, nil, p) }
	h.lend(call, p, forget)
	for _, a := range call.Args {
		if u, ok := a.(*program.Unary); ok && u.Op == "&" {
			forget(u.X)
		}
	}
}

// closure follows the call of a function without a name, in the file where it stands.
func (h *host) closure(v *cell, call *program.Call, p *path) {
	file, renames := h.file, h.renames
	defer func() { h.file, h.renames = file, renames }()
	if _, here := call.Fun.(*program.Lambda); !here { // else the text is that of the macro which is followed, if one is
		h.renames = nil
	}
	h.inline(v, call, p)
}

// asks are the functions of CUDA that are handed a kernel and do not launch it (CUDA Runtime API, 6.7 and 6.9).
var asks = map[string]bool{"cudaFuncSetAttribute": true, "cudaFuncGetAttributes": true, "cudaFuncSetCacheConfig": true, "cudaFuncSetSharedMemConfig": true, "cudaFuncGetName": true,
	"cudaFuncGetParamInfo": true, "cudaGetFuncBySymbol": true, "cudaGetKernel": true, "cudaOccupancyMaxActiveBlocksPerMultiprocessor": true,
	"cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": true, "cudaOccupancyMaxPotentialBlockSize": true, "cudaOccupancyMaxPotentialBlockSizeWithFlags": true,
	"cudaOccupancyMaxPotentialBlockSizeVariableSMem": true, "cudaOccupancyAvailableDynamicSMemPerBlock": true, "cudaOccupancyMaxActiveClusters": true,
	"cudaOccupancyMaxPotentialClusterSize": true}

// asks reports whether a call is of one of these, or of HIP's of that name.
func (h *host) asks(call *program.Call) bool {
	name := h.apiOf(call)
	if rest, hip := strings.CutPrefix(name, "hip"); hip {
		name = "cuda" + rest
	}
	return asks[name]
}

// handedOn notes a call of a function that is not at hand and is handed the kernel: it may launch it.
func (h *host) handedOn(call *program.Call, callee string, p *path) {
	if h.asks(call) || callee == "std::move" || callee == "std::forward" || printers[callee] {
		return
	}
	for _, a := range call.Args {
		if v := h.eval(a, p); v != nil && v.kernel != nil {
			if callee == "" {
				callee = "a function"
			}
			src := h.file.Source
			h.found = append(h.found, site{at: fmt.Sprintf("%s:%d", src.Name, src.Position(call.Span.Start).Line), root: h.root, kernel: &instance{}, unread: true, to: callee})
			return
		}
	}
}

// declaring reports whether a statement is a declaration.
func declaring(st program.Stmt) bool {
	a, is := st.(*program.Assign)
	return is && a.Decl
}

// looks reports whether all methods of a name in the files only return something that they look up.
func (h *host) looks(name string) bool {
	all := h.c.functions[name]
	for _, fn := range all {
		if len(fn.Body) != 1 {
			return false
		}
		back, ok := fn.Body[0].(*program.Return)
		if !ok || back.Value == nil {
			return false
		}
		program.WalkExprs(back.Value, func(x program.Expr) bool {
			switch x.(type) {
			case *program.Call, *program.AssignExpr, *program.IncDec, *program.Lambda, *program.OpaqueExpr:
				ok = false
			}
			return ok
		})
		if !ok {
			return false
		}
	}
	return len(all) > 0
}

// hands reports whether the kernel is among the arguments of a call.
func (h *host) hands(call *program.Call, p *path) bool {
	return slices.ContainsFunc(slices.Concat(call.Args, call.Template), func(x program.Expr) bool {
		v := h.eval(x, p)
		return v != nil && (v.kernel != nil || v.body != nil || v.fn != nil)
	})
}

// blocks notes that a function without a name, or a block that a macro is given, is followed.
func (h *host) blocks(body *program.Lambda) bool {
	if h.ran == nil {
		h.ran = map[*program.Lambda]bool{}
	}
	h.ran[body] = true
	return true
}

// elsewhere follows functions without a name that are given to a function that is not at hand, or that does with them what is not known: it may call them or not. Names that stand among the arguments may
// be those of constants that it declares for them.
func (h *host) elsewhere(call *program.Call, p *path) {
	for _, a := range call.Args {
		body, ok := a.(*program.Lambda)
		if v, found := p.find(identOf(a)); !ok && found && v != nil && v.body != nil {
			body, ok = v.body, true
		}
		if !ok || h.ran[body] {
			continue
		}
		q := p.fork()
		q.scopes = append(q.scopes, map[string]*cell{})
		for _, other := range call.Args {
			if id := identOf(other); id != "" {
				if v, found := p.find(id); !found || v == nil || v.number == nil {
					q.declare(id, nil)
				}
			}
		}
		for _, param := range slices.Concat(body.Template, body.Params) {
			q.declare(param.Name, nil)
		}
		h.run(body.Body, []*path{q})
		h.forget(p, body.Body)
	}
}

// inline follows the call of a function without a name, which sees the names around it.
func (h *host) inline(v *cell, call *program.Call, p *path) {
	body := v.body
	if len(h.calls) >= maxHostCalls {
		h.forget(p, body.Body)
		return
	}
	given := call.Template
	if id, is := call.Fun.(*program.Name); is && len(given) == 0 {
		given = id.Template
	}
	own := h.bound(body.Template, given, p)
	for k, param := range body.Params {
		own[param.Name] = nil
		if k < len(call.Args) {
			own[param.Name] = h.resolved(h.eval(call.Args[k], p), p)
		}
	}
	h.calls = append(h.calls, nil)
	defer func() { h.calls = h.calls[:len(h.calls)-1] }()
	defer h.anew()()
	h.blocks(body)
	q := p.fork()
	if v.around != nil {
		q.scopes = v.around.fork().scopes
	}
	q.scopes = append(q.scopes, map[string]*cell{})
	for name, v := range own {
		q.declare(name, v)
	}
	if v.file != nil {
		h.file = v.file
	}
	h.run(body.Body, []*path{q})
	h.forget(p, body.Body)
}

// bound are the parameters of a template as they are given; nil where that is not known.
func (h *host) bound(template []program.Param, given []program.Expr, p *path) map[string]*cell {
	out := map[string]*cell{}
	for k, t := range template {
		out[t.Name] = nil
		if t.Star != 0 || k >= len(given) {
			continue
		}
		if t.Type != "typename" {
			out[t.Name] = h.eval(given[k], p)
		} else if of := h.typeOf(given[k], p); of != nil {
			out[t.Name] = &cell{t: of}
		}
	}
	return out
}

// called follows the call of a function, and gives what it returns; nil where that is not one thing.
func (h *host) called(fn *program.Function, call *program.Call, p *path) *cell {
	if all := h.outcomes(fn, call, p); len(all) == 1 && (all[0] == nil || all[0].same == "" || h.counts(fn, p)) {
		return all[0]
	}
	return nil
}

// counts reports whether what a function returns holds what a number that is not known is made of: its type is one that counts threads, or one that its arguments say, which hold it.
func (h *host) counts(fn *program.Function, p *path) bool {
	name := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(fn.Result), "constexpr "))
	if slices.ContainsFunc(fn.Template, func(q program.Param) bool { return q.Name == name }) {
		return slices.ContainsFunc(fn.Params, func(q program.Param) bool { return q.Type == name })
	}
	t := h.typed(name, p)
	return t != nil && t.countsThreads()
}

// outcomes follows the call of a function, and gives what it may return, each once.
func (h *host) outcomes(fn *program.Function, call *program.Call, p *path) (out []*cell) {
	if h.near[fn] {
		h.inner[fn] = true
	}
	if from := h.from; from == "" && h.in == h.root {
		src := h.file.Source
		h.from = fmt.Sprintf("%s:%d", src.Name, src.Position(call.Span.Start).Line)
		defer func() { h.from = from }()
	}
	given := call.Template
	if id, ok := call.Fun.(*program.Name); ok && len(given) == 0 {
		given = id.Template
	}
	params := h.templates(fn, given, call.Args, p)
	for k, q := range fn.Params {
		if q.Star != 0 {
			if fn.Macro && k == len(call.Args)-1 {
				params[q.Name] = h.resolved(h.eval(call.Args[k], p), p)
			}
			break
		}
		var v *cell
		if k < len(call.Args) {
			if fn.Macro {
				v = h.typeGiven(call.Args[k], p)
			}
			if v == nil {
				v = h.given(q, call.Args[k], p)
			}
		} else if q.Default != nil {
			v = h.given(q, q.Default, &path{scopes: []map[string]*cell{{}}})
		}
		if v != nil && v.body != nil && v.around == nil && !fn.Macro {
			v = &cell{body: v.body, file: v.file, around: p.fork()}
			h.forget(v.around, v.body.Body) // it may be called again
		}
		params[q.Name] = v
	}
	maps.Copy(params, h.qualifying(fn, call, p))
	renames := h.renames
	h.renames = map[string]string{}
	for k, q := range fn.Params {
		if k < len(call.Args) && q.Star == 0 {
			if name := namesWhat(fn, q, call.Args[k]); name != "" {
				h.renames[q.Name] = name
			}
		}
	}
	uses := h.uses
	if fn.Macro {
		h.uses = append(slices.Clip(uses), macroUse{fn, call.Args, h.file})
	}
	ways := h.enter(fn, params, p)
	h.renames, h.uses = renames, uses
	forget := func(x program.Expr) { h.store(x, nil, p) }
	if fn.Macro {
		h.forget(p, fn.Body)
		for _, a := range call.Args {
			if body, is := a.(*program.Lambda); is {
				h.forget(p, body.Body)
			}
		}
		for k, q := range fn.Params {
			if k < len(call.Args) && assigns(fn.Body, q.Name) {
				forget(call.Args[k])
			}
		}
	} else {
		h.lend(call, p, forget)
		for _, v := range params {
			if v != nil && v.body != nil { // it may have called it
				h.forget(p, v.body.Body)
			}
		}
	}
	for _, a := range call.Args {
		if u, ok := a.(*program.Unary); ok && u.Op == "&" {
			forget(u.X)
		}
	}
	if at := len(p.scopes); fn.Macro && len(ways) == 1 && !ways[0].left && at < len(ways[0].scopes) { // what its text declares is there behind it
		for name, v := range ways[0].scopes[at] {
			if _, param := params[name]; !param && !slices.ContainsFunc(fn.Params, func(q program.Param) bool { return q.Name == name }) {
				p.declare(name, v)
			}
		}
	}
	for _, q := range ways {
		v := q.result
		if !q.ended || v != nil && (v.ref != "" || v.alias != nil) {
			v = nil
		}
		if v != nil && v.number != nil {
			if t := h.c.typeOf(fn.Result); t != nil && !t.integer() {
				v = nil
			}
		}
		if !slices.ContainsFunc(out, v.equal) {
			out = append(out, v)
		}
	}
	return out
}

// typeGiven is the type that an argument of a macro names; nil: it names none.
func (h *host) typeGiven(x program.Expr, p *path) *cell {
	if _, known := p.find(identOf(x)); known {
		return nil
	}
	if t := h.typeOf(x, p); t != nil {
		return &cell{t: t}
	}
	return nil
}

// templates are the parameters of a function's template as they are given.
func (h *host) templates(fn *program.Function, given, args []program.Expr, p *path) map[string]*cell {
	params := h.bound(fn.Template, given, p)
	var said map[string]argument
	if len(fn.Template) > len(given) {
		said = h.deduced(fn.Template, fn.Params, args, p)
	}
	for k, t := range fn.Template {
		switch a := said[t.Name]; {
		case t.Star != 0, k < len(given):
		case a.t != nil && a.t.sure():
			params[t.Name] = &cell{t: a.t}
		case a.number != nil:
			params[t.Name] = number(*a.number)
		case t.Default != nil:
			if n, known := h.c.constant(t.Default); known {
				params[t.Name] = number(n)
			}
		}
	}
	return params
}

// pointed follows a function that another one returns a pointer to: whoever calls it gives it what is not known here, but for the arguments of its template.
func (h *host) pointed(x program.Expr, p *path) {
	if u, is := x.(*program.Unary); is && u.Op == "&" {
		x = u.X
	}
	id, is := x.(*program.Name)
	if !is || len(id.Template) == 0 {
		return
	}
	fn := h.function(id.Ident, -1)
	if fn == nil || !h.near[fn] {
		return
	}
	h.inner[fn] = true
	if from := h.from; from == "" && h.in == h.root {
		src := h.file.Source
		h.from = fmt.Sprintf("%s:%d", src.Name, src.Position(id.Span.Start).Line)
		defer func() { h.from = from }()
	}
	h.enter(fn, h.templates(fn, id.Template, nil, p), p)
}

// assigns reports whether statements assign to a name.
func assigns(body []program.Stmt, name string) bool {
	found := false
	for _, st := range body {
		program.Walk(st, func(n program.Node) bool {
			switch n := n.(type) {
			case *program.Assign:
				found = found || slices.ContainsFunc(n.Targets, func(t program.Expr) bool { return !n.Decl && identOf(t) == name })
			case *program.AssignExpr:
				found = found || identOf(n.Target) == name
			case *program.IncDec:
				found = found || identOf(n.X) == name
			}
			return !found
		})
	}
	return found
}
