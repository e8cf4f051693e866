package lower

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// raised unwinds to the except clause that catches the exception. One that nobody catches ends the run: the DSL traces
// a kernel's Python before it compiles, so a combination of values that raises has no kernel.
type raised struct {
	exception value.Value
	file      *program.File
	span      source.Span
}

// throw raises one of Python's own exceptions.
func (m *machine) throw(n program.Node, name, message string) {
	f, at := m.place(n.Where())
	panic(raised{&value.Exception{Name: name, Args: []value.Value{value.Text(message)}}, f, at})
}

func (m *machine) raise(st *program.Raise, s *value.Scope) {
	if m.launch != nil && m.launch.driver.lenient && m.trying == 0 {
		m.in.assumed[checksPass] = inWords
		return
	}
	var v value.Value = m.caught
	if st.X != nil {
		v = m.eval(st.X, s)
	}
	switch x := v.(type) {
	case value.Path: // raise ValueError
		v = &value.Exception{Name: value.LastWord(string(x))}
	case *value.Class:
		v = m.instance(x, &value.Arguments{}, st)
	}
	f, at := m.place(st.Span)
	panic(raised{v, f, at})
}

// try runs a try statement: the body, the clause that catches what it raises, and finally.
func (m *machine) try(st *program.Try, s *value.Scope) (c control, v value.Value) {
	if missing := m.mayLack(st, s); missing != "" {
		return m.importsOrNot(missing, st, s)
	}
	c, v, r := m.attempt(func() (control, value.Value) {
		m.trying++
		c, v, r := m.attempt(func() (control, value.Value) { return m.run(st.Body, s) })
		m.trying--
		switch {
		case r != nil:
			return m.handle(st, r, s)
		case c == next:
			return m.run(st.Else, s)
		}
		return c, v
	})
	if fc, fv := m.run(st.Finally, s); fc != next {
		return fc, fv
	}
	if r != nil {
		panic(*r)
	}
	return c, v
}

// attempt runs work and gives the exception it raised. The evaluator's other signals go on up.
func (m *machine) attempt(work func() (control, value.Value)) (c control, v value.Value, r *raised) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case raised:
			r = &x
		default:
			panic(x)
		}
	}()
	c, v = work()
	return c, v, nil
}

func (m *machine) handle(st *program.Try, r *raised, s *value.Scope) (control, value.Value) {
	for _, h := range st.Handlers {
		if h.Type != nil && !m.catches(m.eval(h.Type, s), r.exception) {
			continue
		}
		old := m.caught
		m.caught = r.exception
		defer func() { m.caught = old }()
		if h.Name != "" {
			s.Assign(h.Name, r.exception)
		}
		return m.run(h.Body, s)
	}
	panic(*r)
}

// catches reports whether an except clause for a class, or a tuple of them, catches an exception.
func (m *machine) catches(of, exc value.Value) bool {
	switch c := of.(type) {
	case *value.Sequence:
		for _, e := range c.Elems {
			if m.catches(e, exc) {
				return true
			}
		}
	case value.Path:
		for _, name := range m.exceptionNames(exc) {
			if name == value.LastWord(string(c)) {
				return true
			}
		}
	case *value.Class:
		o, ok := exc.(*value.Object)
		return ok && o.Class != nil && o.Class.DerivedFrom(c)
	}
	return false
}

// exceptionNames are the names of an exception's class and of the classes of Python's own that it is derived from.
func (m *machine) exceptionNames(exc value.Value) []string {
	var out []string
	up := func(name string) {
		for ; name != ""; name = value.ExceptionBases[name] {
			out = append(out, name)
		}
	}
	switch exc := exc.(type) {
	case *value.Exception:
		up(exc.Name)
	case *value.Object:
		if exc.Class != nil {
			for _, b := range exc.Class.Outside() {
				up(value.LastWord(b))
			}
		}
	}
	return out
}

// describe says what was raised, for a message.
func (r raised) describe() string {
	switch e := r.exception.(type) {
	case *value.Exception:
		if t, ok := value.First(e.Args).(value.Text); ok {
			return e.Name + ": " + clip(string(t))
		}
		return e.Name
	case *value.Object:
		return value.Canonical(e)
	}
	return "an exception"
}

// checked gives the statements that go on after a check that raises, where the check itself cannot be decided: what the
// program forbids is not looked at.
func (m *machine) checked(st *program.If) ([]program.Stmt, bool) {
	then, other := syntax.Raises(st.Then), syntax.Raises(st.Else)
	if then == other {
		return nil, false
	}
	m.in.assumed["checks that raise an error pass where run-time values decide them"] = inWords
	if then {
		return st.Else, true
	}
	return st.Then, true
}

// outer makes names of a function stand for those of the function around it (nonlocal) or of the module (global).
func (m *machine) outer(st *program.Outer, s *value.Scope) {
	if n := len(m.regions); n > 0 {
		m.noteOpaque(st.Span, limit.Undefined.Sayf("a function that binds variables of another is called in what the DSL traces as a whole, from line %d, which it refuses", m.regions[n-1].line), true)
	}
	for _, name := range st.Names {
		from := m.globals
		if !st.Global && s.Parent != nil {
			from = s.Parent
		}
		l, ok := from.Lookup(name)
		if !ok {
			l = &value.Cell{V: value.Data{}}
			m.globals.Bind(name, l)
		}
		s.Bind(name, l)
	}
}

// mayLack is a module that a try statement imports, with a clause for one that is not there, and that is not found: whether the
// machine on which the script runs has it is not known.
func (m *machine) mayLack(st *program.Try, s *value.Scope) string {
	lacks := func(h program.Handler) bool {
		return h.Type == nil || m.catches(m.eval(h.Type, s), &value.Exception{Name: "ModuleNotFoundError"})
	}
	for _, x := range st.Body {
		im, ok := x.(*program.Import)
		if !ok {
			continue
		}
		from := im.From
		if from == "" {
			from = im.Name
		}
		top, _, _ := strings.Cut(from, ".")
		if top != "" && top != "cutlass" && !outsiders[top] && m.in.low.find(m.mod, from) == nil && slices.ContainsFunc(st.Handlers, lacks) {
			return from
		}
	}
	return ""
}

// importsOrNot runs both arms of such a statement. A number that the one and the other bind is either; what else they bind is what
// it is with the module.
func (m *machine) importsOrNot(missing string, st *program.Try, s *value.Scope) (control, value.Value) {
	c, v := m.run(st.Body, s)
	if c == next {
		c, v = m.run(st.Else, s)
	}
	with := map[string]value.Value{}
	for name, l := range s.Vars {
		if _, imported := l.(*importCell); !imported {
			with[name] = l.Get()
		}
	}
	kept := s.Hold()
	other := value.NewScope(s, true)
	_, _, r := m.attempt(func() (control, value.Value) {
		return m.handle(st, &raised{exception: &value.Exception{Name: "ModuleNotFoundError"}}, other)
	})
	if r != nil { // it needs the module
		other.Vars = nil
	}
	there := value.Atom("there is a module " + missing)
	for name, l := range kept.All {
		s.Bind(name, l)
	}
	for name, l := range other.Vars {
		x, okx := value.AsExpr(with[name])
		y, oky := value.AsExpr(l.Get())
		switch {
		case kept.All[name] == nil:
			s.Bind(name, l)
		case okx && oky && x.String() != y.String():
			s.Declare(name, value.Symbol{Expr: &value.Expr{Op: "?", C: there.Expr, X: x, Y: y, Size: x.Size + y.Size + 1}})
		}
	}
	if fc, fv := m.run(st.Finally, s); fc != next {
		return fc, fv
	}
	return c, v
}
