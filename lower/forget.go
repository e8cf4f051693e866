package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/program"
)

// havoc forgets what the statement assigns, and stops tracking the memory it touches. What it does to tensors is
// sampled instead.
func (m *machine) havoc(st program.Stmt, s *scope) {
	m.forgetAssigned(st, s)
	if !m.host {
		m.sample(st, s)
		m.forgetAssigned(st, s)
	}
}

func (m *machine) forgetAssigned(st program.Stmt, s *scope) {
	var forget func(t program.Expr)
	forget = func(t program.Expr) {
		switch t := t.(type) {
		case *program.Name:
			if l, ok := s.lookup(t.Ident); ok {
				l.set(m.forgotten(l.get(), l.get()))
			} else {
				s.assign(t.Ident, data{})
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
			if l, ok := s.lookup(n.Ident); ok {
				switch l.get().(type) {
				case *tensor, symbol: // sampling sees the accesses
					return true
				}
			}
			m.loseNamed(n, s)
		}
		return true
	})
}

// describes are the attributes of a tensor that say something about it and reach no element of it.
var describes = words("shape layout stride element_type dtype value_type memspace")

// lose stops tracking the memory that a piece of the program names: it may or may not be accessed there.
func (m *machine) lose(n program.Node, s *scope) {
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
func (m *machine) loseBase(e program.Expr, s *scope) {
	for !m.host {
		switch x := e.(type) {
		case *program.Attr:
			e = x.X
			continue
		case *program.Index:
			e = x.X
			continue
		case *program.Name:
			if l, ok := s.lookup(x.Ident); ok {
				switch v := l.get().(type) {
				case pointer:
					m.surrenderPointer(v, "written by a member of what is not known")
				case *object:
					m.surrender([]value{v}, "written by a member of what is not known", 0)
				}
			}
		}
		return
	}
}

func (m *machine) loseNamed(id *program.Name, s *scope) {
	l, ok := s.lookup(id.Ident)
	if !ok {
		return
	}
	here := perhaps{at: m.bare(id)}
	switch v := l.get().(type) {
	case *tensor, *sequence:
		m.loseTensors([]value{v}, here.used())
	case pointer:
		if v.block != nil && !v.block.mbarrier {
			m.in.untracked(v.block.name, here.used())
		}
	case symbol:
		if p, ok := m.globalElement(v, nil); ok && !metadataOf.MatchString(p.block.name) {
			m.reachesAnything(p.block.name, true, p.block.name+" may be written where it is not followed", id)
			m.in.writes(p.block.name)
			m.in.untracked(p.block.name, here.used())
		}
	}
}

// forgetField forgets one field of an object.
func (m *machine) forgetField(t *program.Attr, s *scope) {
	if m.bound(t.X, s) {
		if o, ok := m.eval(t.X, s).(*object); ok {
			name := mangled(t.Name, s)
			o.fields[name] = m.forgotten(o.fields[name], o.fields[name])
			return
		}
	}
	m.forgetIn(t.X, s)
}

// forgetIn forgets the content of the object or array that an expression names or reaches into: which part of it
// changed is not known where the change is not executed.
func (m *machine) forgetIn(e program.Expr, s *scope) {
	if m.bound(e, s) {
		forgetContent(m.eval(e, s), 0)
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

func forgetContent(v value, depth int) {
	if depth > 8 {
		return
	}
	switch v := v.(type) {
	case location: // the address of a variable
		forgetContent(v.get(), depth+1)
		if !memory(v.get()) {
			v.set(data{})
		}
	case *object:
		for name, f := range v.fields {
			forgetContent(f, depth+1)
			if !memory(f) {
				v.fields[name] = data{}
			}
		}
	case *sequence:
		for i, e := range v.elems {
			forgetContent(e, depth+1)
			if !memory(e) {
				v.elems[i] = data{}
			}
		}
	case *tensor:
		if v.content != nil {
			forgetContent(v.content, depth+1)
		}
	case *mapping:
		for _, k := range v.order {
			forgetContent(v.values[k], depth+1)
			if !memory(v.values[k]) {
				v.values[k] = data{}
			}
		}
	}
}

// forgetThrough forgets what a call that is not executed may change: what the function assigns outside itself where it
// is known, otherwise the object a method belongs to, the objects and arrays among the arguments, and arguments by
// reference.
func (m *machine) forgetThrough(c *program.Call, s *scope) {
	var f *closure
	known := false
	if a, method := c.Fun.(*program.Attr); !method || m.bound(a.X, s) {
		f, known = m.callee(c.Fun, s).(*closure)
	}
	switch {
	case known && f.lambda != nil && m.depth < maxDepth:
		m.depth++
		defer m.enter(f.mod)()
		m.havoc(&program.Block{Place: program.Place{Span: c.Span}, Body: f.lambda.Body}, f.env)
		m.depth--
		return
	case known && f.fn != nil && f.mod != nil && !spreads(c, f.fn):
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
func (m *machine) forgetCallee(f *closure, c *program.Call, s *scope) {
	if m.depth >= maxDepth || m.skipping[f.fn] {
		return
	}
	if m.skipping == nil {
		m.skipping = map[*program.Function]bool{}
	}
	m.skipping[f.fn] = true
	m.depth++
	defer func() { delete(m.skipping, f.fn); m.depth-- }()
	value := func(e program.Expr) value {
		if m.bound(e, s) {
			return m.eval(e, s)
		}
		m.forgetIn(e, s)
		return data{}
	}
	inner := newScope(f.env, true)
	params := f.params()
	if len(params) < len(f.fn.Params) {
		inner.declare(f.fn.Params[0].Name, f.self)
		inner.self = f.self
	}
	inner.owner = f.owner
	for i, p := range params {
		inner.declare(p.Name, data{})
		if i < len(c.Args) {
			inner.declare(p.Name, value(c.Args[i]))
		}
	}
	for _, k := range c.Keywords {
		inner.declare(k.Name, value(k.Value))
	}
	defer m.enter(f.mod)()
	m.havoc(&program.Block{Place: program.Place{Span: f.fn.Span}, Body: f.fn.Body}, inner)
}

// spreads reports whether a call passes a sequence or mapping as several arguments, or several as one.
func spreads(c *program.Call, fn *program.Function) bool {
	if slices.ContainsFunc(fn.Params, func(p program.Param) bool { return p.Star > 0 }) {
		return true
	}
	for _, a := range c.Args {
		if _, ok := a.(*program.Starred); ok {
			return true
		}
	}
	return slices.ContainsFunc(c.Keywords, func(k program.Keyword) bool { return k.Name == "" })
}

// harmless reports whether a call goes to a function of the DSL or to a method of something that is no object or
// container: neither changes an object of the program.
func (m *machine) harmless(fun program.Expr, s *scope) bool {
	if a, ok := fun.(*program.Attr); ok && m.bound(a.X, s) {
		switch x := m.eval(a.X, s).(type) {
		case path, symbol, *tensor, integer, lanes:
			return true
		case moduleRef:
			return !ownCallable(m.member(x, a.Name, a))
		}
		return false
	}
	if id, ok := fun.(*program.Name); ok {
		if l, ok := s.lookup(id.Ident); ok {
			_, library := l.get().(path)
			return library
		}
		return pythonBuiltins[id.Ident]
	}
	return false
}
