package lower

import (
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// havoc forgets what the statement assigns, and stops tracking the memory it touches. What it does to tensors is
// sampled instead.
func (m *machine) havoc(st program.Stmt, s *value.Scope) {
	m.forgetAssigned(st, s)
	if !m.host {
		m.sample(st, s)
		m.forgetAssigned(st, s)
	}
}

func (m *machine) forgetAssigned(st program.Stmt, s *value.Scope) {
	var forget func(t program.Expr)
	forget = func(t program.Expr) {
		switch t := t.(type) {
		case *program.Name:
			if l, ok := s.Lookup(t.Ident); ok {
				l.Set(m.forgotten(l.Get(), l.Get()))
			} else {
				s.Assign(t.Ident, value.Data{})
			}
		case *program.Attr:
			m.forgetField(t, s)
		case *program.Index:
			m.forgetIn(t.X, s)
		}
	}
	program.Walk(st, func(n program.Node) bool {
		switch n := n.(type) {
		case *program.Assign:
			for _, t := range n.Targets {
				if tu, ok := t.(*program.Tuple); ok {
					for _, e := range tu.Elems {
						forget(e)
					}
				}
				forget(t)
			}
		case *program.AssignExpr:
			forget(n.Target)
		case *program.For:
			if n.Target != nil {
				forget(n.Target)
			}
		case *program.Asm:
			for _, o := range n.Outputs {
				forget(o.X)
			}
		case *program.Call:
			m.forgetThrough(n, s)
		case *program.Name:
			if l, ok := s.Lookup(n.Ident); ok {
				switch l.Get().(type) {
				case *cute.Tensor, value.Symbol: // sampling sees the accesses
					return true
				}
			}
			m.loseNamed(n, s)
		}
		return true
	})
}

// describes are the attributes of a tensor that say something about it and reach no element of it.
var describes = value.Words("shape layout stride element_type dtype value_type memspace")

// lose stops tracking the memory that a piece of the program names: it may or may not be accessed there.
func (m *machine) lose(n program.Node, s *value.Scope) {
	program.Walk(n, func(n program.Node) bool {
		switch n := n.(type) {
		case *program.Attr:
			return !describes[n.Name]
		case *program.Name:
			m.loseNamed(n, s)
		}
		return true
	})
}

// loseBase stops tracking the shared memory that a variable is in, of which a part is written that has no place: a member of
// a class that is not read.
func (m *machine) loseBase(e program.Expr, s *value.Scope) {
	for !m.host {
		switch x := e.(type) {
		case *program.Attr:
			e = x.X
			continue
		case *program.Index:
			e = x.X
			continue
		case *program.Name:
			if l, ok := s.Lookup(x.Ident); ok {
				switch v := l.Get().(type) {
				case value.Pointer:
					m.surrenderPointer(v, "written by a member of what is not known")
				case *value.Object:
					m.surrender([]value.Value{v}, "written by a member of what is not known", 0)
				}
			}
		}
		return
	}
}

func (m *machine) loseNamed(id *program.Name, s *value.Scope) {
	l, ok := s.Lookup(id.Ident)
	if !ok {
		return
	}
	here := perhaps{at: m.bare(id)}
	switch v := l.Get().(type) {
	case *cute.Tensor, *value.Sequence:
		m.loseTensors([]value.Value{v}, here.used())
	case value.Pointer:
		if v.Block != nil && !v.Block.Mbarrier {
			m.in.untracked(v.Block.Name, here.used())
		}
	case value.Symbol:
		if p, ok := m.globalElement(v, nil); ok && !metadataOf.MatchString(p.Block.Name) {
			m.reachesAnything(p.Block.Name, true, p.Block.Name+" may be written where it is not followed", id)
			m.in.writes(p.Block.Name)
			m.in.untracked(p.Block.Name, here.used())
		}
	}
}

// forgetField forgets one field of an object.
func (m *machine) forgetField(t *program.Attr, s *value.Scope) {
	if m.bound(t.X, s) {
		if o, ok := m.eval(t.X, s).(*value.Object); ok {
			name := mangled(t.Name, s)
			o.Put(name, m.forgotten(o.Fields[name], o.Fields[name]))
			return
		}
	}
	m.forgetIn(t.X, s)
}

// forgetIn forgets the content of the object or array that an expression names or reaches into: which part of it
// changed is not known where the change is not executed.
func (m *machine) forgetIn(e program.Expr, s *value.Scope) {
	if m.bound(e, s) {
		value.ForgetContent(m.eval(e, s), 0)
		return
	}
	switch x := e.(type) {
	case *program.Attr:
		m.forgetIn(x.X, s)
	case *program.Index:
		m.forgetIn(x.X, s)
	case *program.Unary:
		m.forgetIn(x.X, s)
	case *program.Starred:
		m.forgetIn(x.X, s)
	}
}

// forgetThrough forgets what a call that is not executed may change: what the function assigns outside itself where it
// is known, otherwise the object a method belongs to, the objects and arrays among the arguments, and arguments by
// reference.
func (m *machine) forgetThrough(c *program.Call, s *value.Scope) {
	var f *value.Closure
	known := false
	if a, method := c.Fun.(*program.Attr); !method || m.bound(a.X, s) {
		f, known = m.callee(c.Fun, s).(*value.Closure)
	}
	switch {
	case known && f.Lambda != nil && m.depth < maxDepth:
		m.depth++
		defer m.enter(f.Mod)()
		m.havoc(&program.Block{Place: program.Place{Span: c.Span}, Body: f.Lambda.Body}, f.Env)
		m.depth--
		return
	case known && f.Fn != nil && f.Mod != nil && !syntax.Spreads(c, f.Fn):
		m.forgetCallee(f, c, s)
		return
	case m.harmless(c.Fun, s):
		return
	}
	if a, ok := c.Fun.(*program.Attr); ok {
		m.forgetIn(a.X, s)
	}
	for _, a := range c.Args {
		m.forgetIn(a, s)
	}
}

// forgetCallee forgets what a function of known body assigns outside itself, once for each function that is skipped at
// a time.
func (m *machine) forgetCallee(f *value.Closure, c *program.Call, s *value.Scope) {
	if m.depth >= maxDepth || m.skipping[f.Fn] {
		return
	}
	if m.skipping == nil {
		m.skipping = map[*program.Function]bool{}
	}
	m.skipping[f.Fn] = true
	m.depth++
	defer func() { delete(m.skipping, f.Fn); m.depth-- }()
	val := func(e program.Expr) value.Value {
		if m.bound(e, s) {
			return m.eval(e, s)
		}
		m.forgetIn(e, s)
		return value.Data{}
	}
	inner := value.NewScope(f.Env, true)
	params := f.Params()
	if len(params) < len(f.Fn.Params) {
		inner.Declare(f.Fn.Params[0].Name, f.Self)
		inner.Self = f.Self
	}
	inner.Owner = f.Owner
	for i, p := range params {
		inner.Declare(p.Name, value.Data{})
		if i < len(c.Args) {
			inner.Declare(p.Name, val(c.Args[i]))
		}
	}
	for _, k := range c.Keywords {
		inner.Declare(k.Name, val(k.Value))
	}
	defer m.enter(f.Mod)()
	m.havoc(&program.Block{Place: program.Place{Span: f.Fn.Span}, Body: f.Fn.Body}, inner)
}

// harmless reports whether a call goes to a function of the DSL or to a method of something that is no object or
// container: neither changes an object of the program.
func (m *machine) harmless(fun program.Expr, s *value.Scope) bool {
	if a, ok := fun.(*program.Attr); ok && m.bound(a.X, s) {
		switch x := m.eval(a.X, s).(type) {
		case value.Path, value.Symbol, *cute.Tensor, value.Int, value.Lanes:
			return true
		case value.ModuleRef:
			return !ownCallable(m.member(x, a.Name, a))
		}
		return false
	}
	if id, ok := fun.(*program.Name); ok {
		if l, ok := s.Lookup(id.Ident); ok {
			_, library := l.Get().(value.Path)
			return library
		}
		return value.PythonBuiltins[id.Ident]
	}
	return false
}
