package lower

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// call evaluates a call: a canonical operation, a function or class of the file, or a library function.
func (m *machine) call(e *program.Call, s *value.Scope) value.Value {
	fun := m.callee(e.Fun, s)
	if fun == nil {
		if op, ok := m.operation(e); ok {
			return m.perform(op, e, s)
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
	if op, ok := m.operation(e); ok && ofResult(fun, e, op) {
		return m.perform(op, e, s)
	}
	return m.callValue(fun, e, s)
}

// ofResult tells an operation that is a method of what a library call gives, such as SmemAllocator().allocate_array(…).
// The receiver has been evaluated by now, so an operation that asks for it is left out.
func ofResult(fun value.Value, e *program.Call, op *dialect.Op) bool {
	at, ok := e.Fun.(*program.Attr)
	if !ok {
		return false
	}
	switch fun.(type) {
	case value.Data, value.Symbol, value.Path:
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
func (m *machine) callValue(fun value.Value, e *program.Call, s *value.Scope) value.Value {
	switch f := fun.(type) {
	case *value.Closure:
		return m.callWith(f, m.arguments(e, s), e)
	case *value.Object:
		if call, ok := m.called(f).(*value.Closure); ok {
			return m.callWith(call, m.arguments(e, s), e)
		}
		return m.callWith(f, m.arguments(e, s), e)
	case *value.Class, *value.PartialCall, value.BoundMethod, value.StaticMethod, *cute.Layout:
		return m.callWith(f, m.arguments(e, s), e)
	case value.Path:
		if name := value.LastWord(string(f)); unevaluated(name) {
			if name != "static_assert" && !m.host {
				m.evaluates(e, s, func(program.Expr) bool { return false })
			}
			return value.None{}
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
	case value.Symbol:
		if p, ok := m.addressOf(f, e, s); ok {
			return p
		}
		m.busy(e)
		args := m.arguments(e, s).All()
		if c, ok := value.First(args).(*value.Class); ok && strings.HasSuffix(f.Expr.String(), ".allocate") {
			return m.structAt(c, m.in.low.allocName(m.file, e), e.Span)
		}
		if n, ok := m.settle(value.First(args)).(value.Int); ok && f.Expr.String() == "cutlass.utils.SmemAllocator().allocate" { // so many bytes
			return value.Pointer{Block: m.newBlock(e, int64(n), 1), Offset: value.Int(0), Elem: value.Path("cutlass.Uint8")}
		}
		m.callSymbol(f, e, args)
		if value.UniformSymbol(&value.Sequence{Elems: args}) && len(f.Expr.String()) < 200 {
			return value.Atom(f.Expr.String() + cute.CanonicalArgs(args))
		}
		return value.Data{}
	}
	m.busy(e)
	args := m.arguments(e, s).All()
	if m.host {
		return value.Data{}
	}
	name, effect := program.DumpExpr(e.Fun), dialect.Unread
	if at, ok := e.Fun.(*program.Attr); ok {
		name, effect = at.Name, m.table().MethodEffect(at.Name)
		if !m.in.low.computes(m.in, m.mod, e) { // the program's own may be meant
			effect = dialect.Unread
		}
	}
	m.handOver(effect, name, append(args, fun), e)
	return value.Data{}
}

// called is the method that runs where an object is called; nil if it has none.
func (m *machine) called(o *value.Object) value.Value {
	return m.dunder(o, "__call__")
}

// callWith calls a value with evaluated arguments.
func (m *machine) callWith(fun value.Value, a *value.Arguments, n program.Node) value.Value {
	switch f := fun.(type) {
	case *value.Closure:
		return m.invoke(f, a, n)
	case *value.Class:
		return m.instance(f, a, n)
	case *value.PartialCall:
		return m.callWith(f.Fun, f.With(a), n)
	case value.BoundMethod:
		return m.builtinMethod(f.Self, f.Name, a, n)
	case value.StaticMethod:
		return m.callWith(f.Fun, a, n)
	case *cute.Layout:
		if len(a.Vals) == 1 {
			return cute.Offset(f.Shape, f.Strides(), a.Vals[0])
		}
		return value.Data{}
	case *value.Object:
		if call := m.called(f); call != nil {
			return m.callWith(call, a, n)
		}
	case value.Path:
		m.busyCall(string(f), n)
		return m.library(string(f), a, n)
	}
	m.busy(n)
	m.handOver(dialect.Unread, "a value that is not known", append(a.All(), fun), n)
	return value.Data{}
}

// callee gives what a call's function expression is worth where it is the program's own: a function, a class, a method
// of an object or of a built-in collection. It is nil for names of libraries, which the dialect knows by their spelling.
func (m *machine) callee(fun program.Expr, s *value.Scope) value.Value {
	switch f := fun.(type) {
	case *program.Name:
		if l, ok := s.Lookup(f.Ident); ok {
			if v := l.Get(); ownCallable(v) {
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
		case *value.Object, *value.Class, value.SuperRef, *value.EnumMember, *value.PartialCall, *value.Exception:
			if v, ok := m.lookup(x, mangled(f.Name, s), f); ok {
				return v
			}
		case value.ModuleRef:
			if v := m.member(x, f.Name, f); ownCallable(v) {
				return v
			}
		case *value.Sequence, *value.Mapping, value.Text:
			if v, ok := builtinMember(x, f.Name); ok {
				return v
			}
		}
		if _, call := f.X.(*program.Call); call { // it must not run twice
			if tensorMethods[f.Name] {
				return value.BoundMethod{Self: x, Name: f.Name}
			}
			return m.member(x, f.Name, f)
		}
	case *program.Lambda:
		return m.eval(f, s)
	}
	return nil
}

func ownCallable(v value.Value) bool {
	switch v := v.(type) {
	case *value.Closure, *value.Class, *value.PartialCall, value.BoundMethod, value.StaticMethod:
		return true
	case *value.Object:
		return v.Class != nil
	}
	return false
}

// super is super() in a method, or super(C, self).
func super(a *value.Arguments, s *value.Scope) value.Value {
	if c, ok := a.Arg(0).(*value.Class); ok && len(a.Vals) == 2 {
		return value.SuperRef{Self: a.Vals[1], After: c}
	}
	for ; s != nil; s = s.Parent {
		if s.Owner != nil {
			return value.SuperRef{Self: s.Self, After: s.Owner}
		}
	}
	return value.Data{}
}

// bound reports whether an expression is a path of attributes and elements from a variable: evaluating it does nothing.
func (m *machine) bound(e program.Expr, s *value.Scope) bool {
	switch e := e.(type) {
	case *program.Name:
		_, ok := s.Lookup(e.Ident)
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

func (m *machine) isContainer(e program.Expr, s *value.Scope) bool {
	switch m.eval(e, s).(type) {
	case *value.Sequence, *value.Mapping:
		return true
	}
	return false
}

// invoke calls a function of the program or of the embedded library.
func (m *machine) invoke(f *value.Closure, a *value.Arguments, n program.Node) value.Value {
	if m.host && f.Fn != nil && f.Fn.Kernel {
		return &kernelCall{f, a}
	}
	if m.depth++; m.depth > maxDepth {
		m.stop(n, limit.Size, "calls nested deeper than %d", maxDepth)
	}
	defer func() { m.depth-- }()
	defer m.watch.call()()
	if m.via.file == nil && f.Fn != nil && (syntax.Wrapper(f.Fn) || f.Mod != nil && f.Mod.Library) {
		m.via = viaCall{m.file, n.Where()}
		defer func() { m.via = viaCall{} }()
	}
	params, defaults := f.Params(), f.Defaults
	defer m.enter(f.Mod)()
	inner := value.NewScope(f.Env, true)
	all, body := []program.Param(nil), []program.Stmt(nil)
	if f.Lambda != nil {
		all, body = f.Lambda.Params, f.Lambda.Body[f.Lambda.Inits:]
	} else {
		all, body = f.Fn.Params, f.Fn.Body
		if m.in.visited(f.Fn); !m.host {
			m.in.low.entered[f.Fn] = true
			m.in.low.called.Note(f, a, n)
		}
	}
	skip := len(all) - len(params)
	defaults = defaults[min(skip, len(defaults)):]
	if skip > 0 {
		inner.Declare(all[0].Name, f.Self)
		inner.Self = f.Self
	} else if f.Owner != nil && len(a.Vals) > 0 { // Base.f(self, …)
		inner.Self = a.Vals[0]
	}
	inner.Owner = f.Owner
	m.pass(params, defaults, a, inner)
	if f.Fn != nil && syntax.Jit(f.Fn) {
		annotated(params, inner)
	}
	if m.launch != nil && f.Fn != nil {
		m.arranged(f.Fn, params, inner)
	}
	if m.launch != nil && !m.tracing && f.Fn != nil && syntax.Jit(f.Fn) {
		m.traced(params, inner)
		m.tracing = true
		defer func() { m.tracing = false }()
	}
	delete(m.kept, m.depth) // of a call that was not left in the ordinary way
	return m.handBack(m.inquire(f, inner, func() value.Value {
		return m.asBefore(f, inner, func() value.Value { return m.compute(body, inner) })
	}))
}

// compute runs the body of a function. One that does not synchronize only computes: where that cannot be followed, its
// result is unknown and what it may have changed is forgotten.
func (m *machine) compute(body []program.Stmt, inner *value.Scope) (result value.Value) {
	result = value.None{}
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
		m.depth, m.via, result = depth, via, value.Data{}
		m.havoc(&program.Block{Body: body}, inner)
	})
	return result
}

func static(fn *program.Function) bool {
	for _, a := range fn.Attributes {
		if n, ok := a.(*program.Name); ok && n.Ident == "staticmethod" {
			return true
		}
	}
	return false
}

// operation is what a call stands for by its spelling: looked up once, as loops come back to it.
func (m *machine) operation(e *program.Call) (*dialect.Op, bool) {
	op, ok := m.in.low.operations[e]
	if !ok {
		if known, is := m.table().Call(e, m.in.typeOf(m.file)); is {
			op = &known
		}
		m.in.low.operations[e] = op
	}
	return op, op != nil
}

// renamed is the operation that a call performs under a name the program has given to a function or module of the DSL.
func (m *machine) renamed(f value.Path, e *program.Call) (*dialect.Op, *program.Call, bool) {
	if !strings.HasPrefix(string(f), "cutlass.") {
		return nil, nil, false
	}
	key := renaming{f, e}
	known, ok := m.in.low.renamings[key]
	if !ok {
		known = m.respelled(f, e)
		m.in.low.renamings[key] = known
	}
	return known.op, known.call, known.op != nil
}

// renaming is a call of something that has another name where it comes from.
type renaming struct {
	fun  value.Path
	call *program.Call
}

type renamed struct {
	op   *dialect.Op // nil: it is none
	call *program.Call
}

// respelled is a call with the name that the function has where it comes from.
func (m *machine) respelled(f value.Path, e *program.Call) renamed {
	words := strings.Split(string(f), ".")
	at := program.Place{Span: e.Fun.Where()}
	var fun program.Expr = &program.Name{Place: at, Ident: words[0]}
	for _, w := range words[1:] {
		fun = &program.Attr{Place: at, X: fun, Name: w}
	}
	call := *e
	call.Fun = fun
	if op, ok := m.table().Call(&call, nil); ok {
		return renamed{&op, &call}
	}
	return renamed{}
}
