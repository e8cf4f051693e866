package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// call evaluates a call: a canonical operation, a function or class of the file, or a library function.
func (m *machine) call(e *program.Call, s *scope) value {
	if len(e.Launch) > 0 {
		return m.cudaLaunch(e, s)
	}
	if a, ok := e.Fun.(*program.Attr); ok && a.Name == "launch" && m.host {
		if k, ok := m.eval(a.X, s).(*kernelCall); ok {
			return m.pythonLaunch(k, e, s)
		}
	}
	own := m.ownCallee(e.Fun, s)
	if own == nil {
		if op, ok := m.table().Call(e, m.in.typeOf(m.file)); ok {
			return m.perform(&op, e, s)
		}
		if asm, ok := m.in.inline(m.file, e); ok {
			return m.inlineAsm(asm, s)
		}
	}
	if own == nil {
		if v, ok := m.tensorMethod(e, s); ok {
			return v
		}
	}
	var fun value = own
	if own == nil {
		fun = m.eval(e.Fun, s)
	}
	switch f := fun.(type) {
	case *closure:
		if m.host && f.fn != nil && f.fn.Kernel {
			return m.prepare(f, e, s)
		}
		return m.invoke(f, e, s)
	case classRef:
		return m.instance(f, e.Args, e.Keywords, e, s)
	case *object:
		if c, ok := m.member(f, "__call__", e).(*closure); ok {
			return m.invoke(c, e, s)
		}
	case path:
		return m.library(string(f), e, s)
	case *layout:
		if a := m.given(e, s).at; len(a) == 1 {
			return offset(f.shape, f.strides(), a[0])
		}
		return data{}
	case symbol:
		args := m.args(e, s)
		if c, ok := first(args).(classRef); ok && strings.HasSuffix(f.expr.String(), ".allocate") {
			return m.structAt(c, m.in.low.allocName(m.file, e), e.Span)
		}
		m.unresolvedMethod(lastWord(f.expr.String()), e)
		if uniformSymbol(&sequence{args}) && len(f.expr.String()) < 200 {
			return atom(f.expr.String() + canonicalArgs(args))
		}
		return data{}
	}
	if a, ok := e.Fun.(*program.Attr); ok {
		if v, ok := m.builtinMethod(m.eval(a.X, s), a.Name, e, s); ok {
			return v
		}
	}
	m.args(e, s)
	if a, ok := e.Fun.(*program.Attr); ok {
		m.unresolvedMethod(a.Name, e)
	}
	if m.syncs(e) && !m.host {
		m.stop(e, "call that is not understood and could synchronize")
	}
	return data{}
}

// ownCallee gives the function, method or class of the file that a call names, or nil.
func (m *machine) ownCallee(fun program.Expr, s *scope) value {
	switch f := fun.(type) {
	case *program.Name:
		if l, ok := s.lookup(f.Ident); ok {
			switch v := l.get().(type) {
			case *closure, classRef:
				return v
			}
		}
	case *program.Attr:
		if !m.bound(f.X, s) {
			return nil
		}
		switch x := m.eval(f.X, s).(type) {
		case *object:
			switch v := m.member(x, f.Name, f).(type) {
			case *closure, classRef:
				return v
			}
		case classRef:
			if v, ok := m.member(x, f.Name, f).(*closure); ok {
				return v
			}
		case moduleRef:
			switch v := m.member(x, f.Name, f).(type) {
			case *closure, classRef:
				return v
			}
		}
	case *program.Lambda:
		return &closure{lambda: f, env: s, mod: m.mod}
	}
	return nil
}

// bound reports whether an expression is a path of attributes and elements from a variable: evaluating it does nothing.
func (m *machine) bound(e program.Expr, s *scope) bool {
	switch e := e.(type) {
	case *program.Name:
		l, ok := s.lookup(e.Ident)
		if !ok {
			return false
		}
		_, scalar := l.(sharedScalar)
		return !scalar
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

func (m *machine) args(e *program.Call, s *scope) []value {
	out := make([]value, 0, len(e.Args)+len(e.Keywords))
	for _, a := range e.Args {
		out = append(out, m.eval(a, s))
	}
	for _, k := range e.Keywords {
		out = append(out, m.eval(k.Value, s))
	}
	return out
}

func canonicalArgs(args []value) string {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = canonical(a)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// invoke calls a function of the file with the call's arguments.
func (m *machine) invoke(f *closure, e *program.Call, s *scope) value {
	if m.depth++; m.depth > maxDepth {
		m.stop(e, "calls nested deeper than %d", maxDepth)
	}
	defer func() { m.depth-- }()
	if m.via.file == nil && f.fn != nil && (wrapper(f.fn) || f.mod != nil && f.mod.library) {
		m.via = viaCall{m.file, e.Where()}
		defer func() { m.via = viaCall{} }()
	}
	params, body := []program.Param(nil), []program.Stmt(nil)
	if f.lambda != nil {
		params, body = f.lambda.Params, f.lambda.Body
	} else {
		params, body = f.fn.Params, f.fn.Body
		m.in.visited(f.fn)
	}
	inner := newScope(f.env, m.file.Language == program.CuTe)
	if f.self != nil {
		if m.file.Language == program.CuTe {
			if len(params) > 0 && !static(f.fn) {
				inner.declare(params[0].Name, f.self)
				params = params[1:]
			}
		} else {
			inner = m.memberScope(f, inner)
		}
	}
	if f.fn != nil && len(f.fn.Template) > 0 {
		for i, p := range f.fn.Template {
			switch {
			case i < len(f.tmpl):
				inner.declare(p.Name, f.tmpl[i])
			case i < len(e.Template):
				inner.declare(p.Name, m.eval(e.Template[i], s))
			case p.Default != nil:
				inner.declare(p.Name, m.eval(p.Default, inner))
			default:
				inner.declare(p.Name, atom(p.Name))
			}
		}
	}
	m.pass(f.mod, params, f.bound, e.Args, e.Keywords, inner, s)
	if m.launch != nil && f.fn != nil {
		m.arranged(f.fn, params, inner)
	}
	if m.launch != nil && !m.tracing && f.fn != nil && jit(f.fn) {
		m.traced(params, inner)
		m.tracing = true
		defer func() { m.tracing = false }()
	}
	defer m.enter(f.mod)()
	if _, v := m.run(body, inner); v != nil {
		return v
	}
	return none{}
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

// memberScope lets a C++ method see its object's fields as variables.
func (m *machine) memberScope(f *closure, inner *scope) *scope {
	if o, ok := f.self.(*object); ok {
		fields := newScope(f.env, false)
		for name := range o.fields {
			fields.vars[name] = fieldOf{o, name}
		}
		inner.parent = fields
		inner.declare("this", o)
	}
	return inner
}

// pass binds arguments to parameters of a function of a module.
func (m *machine) pass(mod *module, params []program.Param, bound []value, args []program.Expr, kws []program.Keyword, inner, s *scope) {
	vals := append([]value{}, bound...)
	var refs []location
	for range vals {
		refs = append(refs, nil)
	}
	for _, a := range args {
		if st, ok := a.(*program.Starred); ok && !st.Double {
			if seq, ok := m.eval(st.X, s).(*sequence); ok {
				for _, v := range seq.elems {
					vals, refs = append(vals, v), append(refs, nil)
				}
				continue
			}
		}
		k := len(vals)
		if k < len(params) && params[k].Ref {
			if l := m.locate(a, s); l != (nowhere{}) {
				vals, refs = append(vals, nil), append(refs, l)
				continue
			}
			if p, ok := m.address(a, s); ok {
				vals, refs = append(vals, p), append(refs, nil)
				continue
			}
		}
		vals, refs = append(vals, m.eval(a, s)), append(refs, nil)
	}
	named := map[string]value{}
	for _, k := range kws {
		if k.Name != "" {
			named[k.Name] = m.eval(k.Value, s)
		}
	}
	defer m.enter(mod)() // defaults are the callee's
	for i, p := range params {
		switch {
		case p.Star == 1:
			rest := &sequence{}
			if i < len(vals) {
				rest.elems = vals[i:]
			}
			inner.declare(p.Name, rest)
			vals = vals[:min(i, len(vals))]
		case p.Star == 2:
			inner.declare(p.Name, data{})
		case i < len(refs) && refs[i] != nil:
			inner.vars[p.Name] = refs[i]
		case i < len(vals):
			inner.declare(p.Name, vals[i])
		case named[p.Name] != nil:
			inner.declare(p.Name, named[p.Name])
		case p.Default != nil:
			inner.declare(p.Name, m.eval(p.Default, inner))
		default:
			inner.declare(p.Name, atom(p.Name))
		}
	}
}

// instance makes an object of a class: a dataclass, an __init__, or a C++ aggregate.
func (m *machine) instance(of classRef, args []program.Expr, kws []program.Keyword, n program.Node, s *scope) value {
	c := of.class
	o := &object{class: c, mod: of.mod, env: of.env, fields: map[string]value{}}
	if m.depth++; m.depth > maxDepth {
		m.stop(n, "objects nested deeper than %d", maxDepth)
	}
	defer func() { m.depth-- }()
	if init, in := m.method(of, "__init__", 0); init != nil && m.file.Language == program.CuTe {
		m.invoke(&closure{fn: init, env: in.scope(m), mod: in.mod, self: o}, &program.Call{Place: program.Place{Span: n.Where()}, Args: args, Keywords: kws}, s)
		return o
	}
	for k, f := range m.fieldsOf(of, 0) {
		switch {
		case k < len(args):
			o.fields[f.name] = m.eval(args[k], s)
		case keyword(kws, f.name) != nil:
			o.fields[f.name] = m.eval(keyword(kws, f.name), s)
		default:
			o.fields[f.name] = m.initial(f.of, f.decl)
		}
	}
	if init, in := m.method(of, c.Name, 0); init != nil && m.file.Language != program.CuTe {
		m.invoke(&closure{fn: init, env: in.scope(m), mod: in.mod, self: o}, &program.Call{Place: program.Place{Span: n.Where()}, Args: args}, s)
	}
	return o
}

// initial is the value a field has before anyone sets it.
func (m *machine) initial(of classRef, f *program.Assign) value {
	defer m.enter(of.mod)()
	if f.Value != nil {
		return m.eval(f.Value, of.scope(m))
	}
	return m.zero(f, of.scope(m))
}

func keyword(kws []program.Keyword, name string) program.Expr {
	for _, k := range kws {
		if k.Name == name {
			return k.Value
		}
	}
	return nil
}

func isQuery(k dialect.Kind) bool {
	switch k {
	case dialect.ThreadIdx, dialect.BlockIdx, dialect.BlockDim, dialect.GridDim, dialect.LaneIdx, dialect.WarpIdx, dialect.ClusterRank,
		dialect.ClusterSize, dialect.Uniform, dialect.MapaShared, dialect.AllocMbarrier, dialect.AllocShared, dialect.Pure,
		dialect.Nanosleep, dialect.Fence, dialect.FenceProxy, dialect.MbarrierInitFence:
		return true
	}
	return false
}
