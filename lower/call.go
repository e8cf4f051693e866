package lower

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// call evaluates a call: a canonical operation, a function or class of the file, or a library function.
func (m *machine) call(e *program.Call, s *scope) value {
	fun := m.callee(e.Fun, s)
	if fun == nil {
		if op, ok := m.operation(e); ok {
			return m.perform(&op, e, s)
		}
		if asm, ok := m.in.inline(e); ok {
			return m.inlineAsm(e, asm, s)
		}
		if at, ok := e.Fun.(*program.Attr); ok && tensorMethods[at.Name] {
			x := m.eval(at.X, s)
			a := m.arguments(e, s)
			if v, ok := m.tensorMethod(x, at.Name, a, e); ok {
				return v
			}
		}
		fun = m.eval(e.Fun, s)
	}
	if op, ok := m.operation(e); ok && ofResult(fun, e, &op) {
		return m.perform(&op, e, s)
	}
	return m.callValue(fun, e, s)
}

// ofResult tells an operation that is a method of what a library call gives, such as SmemAllocator().allocate_array(…).
// The receiver has been evaluated by now, so an operation that asks for it is left out.
func ofResult(fun value, e *program.Call, op *dialect.Op) bool {
	at, ok := e.Fun.(*program.Attr)
	if !ok {
		return false
	}
	switch fun.(type) {
	case data, symbol, path:
	default:
		return false
	}
	for _, a := range op.Args {
		if a.Expr == at.X {
			return false
		}
	}
	_, call := at.X.(*program.Call)
	return call
}

// callValue calls what the callee expression is worth.
func (m *machine) callValue(fun value, e *program.Call, s *scope) value {
	switch f := fun.(type) {
	case *closure:
		return m.callWith(f, m.arguments(e, s), e)
	case *object:
		if call, ok := m.called(f).(*closure); ok {
			return m.callWith(call, m.arguments(e, s), e)
		}
		return m.callWith(f, m.arguments(e, s), e)
	case *class, *partial, boundMethod, staticMethod, *layout:
		return m.callWith(f, m.arguments(e, s), e)
	case path:
		if name := lastWord(string(f)); unevaluated(name) {
			if name != "static_assert" && !m.host {
				m.evaluates(e, s, func(program.Expr) bool { return false })
			}
			return none{}
		}
		if string(f) == "super" {
			return super(m.arguments(e, s), s)
		}
		if op, call, ok := m.renamed(f, e); ok {
			return m.perform(op, call, s)
		}
		m.busyCall(string(f), e)
		a := m.arguments(e, s)
		return m.library(string(f), a, e)
	case symbol:
		m.busy(e)
		args := m.arguments(e, s).all()
		if c, ok := first(args).(*class); ok && strings.HasSuffix(f.expr.String(), ".allocate") {
			return m.structAt(c, m.in.low.allocName(m.file, e), e.Span)
		}
		m.callSymbol(f, e, args)
		if uniformSymbol(&sequence{elems: args}) && len(f.expr.String()) < 200 {
			return atom(f.expr.String() + canonicalArgs(args))
		}
		return data{}
	}
	m.busy(e)
	args := m.arguments(e, s).all()
	if m.host {
		return data{}
	}
	name, effect := program.DumpExpr(e.Fun), dialect.Unread
	if at, ok := e.Fun.(*program.Attr); ok {
		name, effect = at.Name, m.table().MethodEffect(at.Name)
		if len(m.in.low.methods[at.Name]) > 0 { // the program's own may be meant
			effect = dialect.Unread
		}
	}
	m.handOver(effect, name, append(args, fun), e)
	return data{}
}

// called is the method that runs where an object is called; nil if it has none.
func (m *machine) called(o *object) value {
	return m.dunder(o, "__call__")
}

// callWith calls a value with evaluated arguments.
func (m *machine) callWith(fun value, a *arguments, n program.Node) value {
	switch f := fun.(type) {
	case *closure:
		return m.invoke(f, a, n)
	case *class:
		return m.instance(f, a, n)
	case *partial:
		return m.callWith(f.fun, f.with(a), n)
	case boundMethod:
		return m.builtinMethod(f.self, f.name, a, n)
	case staticMethod:
		return m.callWith(f.fun, a, n)
	case *layout:
		if len(a.vals) == 1 {
			return offset(f.shape, f.strides(), a.vals[0])
		}
		return data{}
	case *object:
		if call := m.called(f); call != nil {
			return m.callWith(call, a, n)
		}
	case path:
		m.busyCall(string(f), n)
		return m.library(string(f), a, n)
	}
	m.busy(n)
	m.handOver(dialect.Unread, "a value that is not known", append(a.all(), fun), n)
	return data{}
}

// callee gives what a call's function expression is worth where it is the program's own: a function, a class, a method
// of an object or of a built-in collection. It is nil for names of libraries, which the dialect knows by their spelling.
func (m *machine) callee(fun program.Expr, s *scope) value {
	switch f := fun.(type) {
	case *program.Name:
		if l, ok := s.lookup(f.Ident); ok {
			if v := l.get(); ownCallable(v) {
				return v
			}
		}
	case *program.Attr:
		if !m.bound(f.X, s) {
			if _, call := f.X.(*program.Call); !call {
				return nil
			}
		}
		x := m.eval(f.X, s)
		switch x.(type) {
		case *object, *class, superRef, *enumMember, *partial, *exception:
			if v, ok := m.lookup(x, mangled(f.Name, s), f); ok {
				return v
			}
		case moduleRef:
			if v := m.member(x, f.Name, f); ownCallable(v) {
				return v
			}
		case *sequence, *mapping, text:
			if v, ok := builtinMember(x, f.Name); ok {
				return v
			}
		}
		if _, call := f.X.(*program.Call); call { // it must not run twice
			if tensorMethods[f.Name] {
				return boundMethod{x, f.Name}
			}
			return m.member(x, f.Name, f)
		}
	case *program.Lambda:
		return m.eval(f, s)
	}
	return nil
}

func ownCallable(v value) bool {
	switch v := v.(type) {
	case *closure, *class, *partial, boundMethod, staticMethod:
		return true
	case *object:
		return v.class != nil
	}
	return false
}

// super is super() in a method, or super(C, self).
func super(a *arguments, s *scope) value {
	if c, ok := a.arg(0).(*class); ok && len(a.vals) == 2 {
		return superRef{a.vals[1], c}
	}
	for ; s != nil; s = s.parent {
		if s.owner != nil {
			return superRef{s.self, s.owner}
		}
	}
	return data{}
}

// bound reports whether an expression is a path of attributes and elements from a variable: evaluating it does nothing.
func (m *machine) bound(e program.Expr, s *scope) bool {
	switch e := e.(type) {
	case *program.Name:
		_, ok := s.lookup(e.Ident)
		return ok
	case *program.Attr:
		return m.bound(e.X, s)
	case *program.Index:
		if x, ok := e.X.(*program.Attr); ok {
			return m.bound(x, s) && m.isContainer(x, s)
		}
		x, ok := e.X.(*program.Name)
		return ok && m.bound(x, s) && m.isContainer(x, s)
	}
	return false
}

func (m *machine) isContainer(e program.Expr, s *scope) bool {
	switch m.eval(e, s).(type) {
	case *sequence, *mapping:
		return true
	}
	return false
}

func canonicalArgs(args []value) string {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = canonical(a)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// params are the parameters that arguments can be bound to: without self.
func (f *closure) params() []program.Param {
	if f.lambda != nil {
		return f.lambda.Params[min(f.skipped(), len(f.lambda.Params)):]
	}
	return f.fn.Params[min(f.skipped(), len(f.fn.Params)):]
}

// skipped is 1 where the first parameter is bound to self.
func (f *closure) skipped() int {
	if f.self != nil {
		return 1
	}
	return 0
}

// invoke calls a function of the program or of the embedded library.
func (m *machine) invoke(f *closure, a *arguments, n program.Node) value {
	if m.host && f.fn != nil && f.fn.Kernel {
		return &kernelCall{f, a}
	}
	if m.depth++; m.depth > maxDepth {
		m.stop(n, limit.Size, "calls nested deeper than %d", maxDepth)
	}
	defer func() { m.depth-- }()
	defer m.watch.call()()
	if m.via.file == nil && f.fn != nil && (wrapper(f.fn) || f.mod != nil && f.mod.library) {
		m.via = viaCall{m.file, n.Where()}
		defer func() { m.via = viaCall{} }()
	}
	params, defaults := f.params(), f.defaults
	defer m.enter(f.mod)()
	inner := newScope(f.env, true)
	all, body := []program.Param(nil), []program.Stmt(nil)
	if f.lambda != nil {
		all, body = f.lambda.Params, f.lambda.Body[f.lambda.Inits:]
	} else {
		all, body = f.fn.Params, f.fn.Body
		if m.in.visited(f.fn); !m.host {
			m.in.low.entered[f.fn] = true
		}
	}
	skip := len(all) - len(params)
	defaults = defaults[min(skip, len(defaults)):]
	if skip > 0 {
		inner.declare(all[0].Name, f.self)
		inner.self = f.self
	} else if f.owner != nil && len(a.vals) > 0 { // Base.f(self, …)
		inner.self = a.vals[0]
	}
	inner.owner = f.owner
	m.pass(params, defaults, a, inner)
	if f.fn != nil && jit(f.fn) {
		annotated(params, inner)
	}
	if m.launch != nil && f.fn != nil {
		m.arranged(f.fn, params, inner)
	}
	if m.launch != nil && !m.tracing && f.fn != nil && jit(f.fn) {
		m.traced(params, inner)
		m.tracing = true
		defer func() { m.tracing = false }()
	}
	delete(m.kept, m.depth) // of a call that was not left in the ordinary way
	return m.handBack(m.inquire(f, inner, func() value { return m.compute(body, inner) }))
}

// compute runs the body of a function. One that does not synchronize only computes: where that cannot be followed, its
// result is unknown and what it may have changed is forgotten.
func (m *machine) compute(body []program.Stmt, inner *scope) (result value) {
	result = none{}
	run := func() {
		if _, v := m.run(body, inner); v != nil {
			result = v
		}
	}
	if m.generates(body) {
		return m.suspended(body, inner)
	}
	if m.host || slices.ContainsFunc(body, func(st program.Stmt) bool { return m.syncs(st) }) {
		run()
		return result
	}
	depth, via, ops := m.depth, m.via, len(m.ops)
	m.in.low.protect(run, func(r any) {
		if _, stopped := r.(opaque); !stopped || m.fuel < 0 || m.in.low.fuel < 0 || len(m.ops) != ops {
			panic(r)
		}
		m.depth, m.via, result = depth, via, data{}
		m.havoc(&program.Block{Body: body}, inner)
	})
	return result
}

// wrapper reports whether a function only dresses up an operation: a few statements, no control flow.
func wrapper(fn *program.Function) bool {
	for _, st := range fn.Body {
		switch st.(type) {
		case *program.Asm, *program.Assign, *program.ExprStmt, *program.Return:
		default:
			return false
		}
	}
	return len(fn.Body) <= 5
}

func static(fn *program.Function) bool {
	for _, a := range fn.Attributes {
		if n, ok := a.(*program.Name); ok && n.Ident == "staticmethod" {
			return true
		}
	}
	return false
}
