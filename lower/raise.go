package lower

import (
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// raised unwinds to the except clause that catches the exception. One that nobody catches ends the run: the DSL traces
// a kernel's Python before it compiles, so a combination of values that raises has no kernel.
type raised struct {
	exception value
	file      *program.File
	span      source.Span
}

// exception is an instance of one of Python's own exception classes.
type exception struct {
	name string
	args []value
}

// exceptionBases are Python's own exceptions, each with the class it is derived from ("Built-in Exceptions").
var exceptionBases = map[string]string{
	"BaseException": "", "Exception": "BaseException", "KeyboardInterrupt": "BaseException", "SystemExit": "BaseException",
	"ArithmeticError": "Exception", "ZeroDivisionError": "ArithmeticError", "OverflowError": "ArithmeticError",
	"AssertionError": "Exception", "AttributeError": "Exception", "ImportError": "Exception", "ModuleNotFoundError": "ImportError",
	"LookupError": "Exception", "IndexError": "LookupError", "KeyError": "LookupError", "NameError": "Exception", "OSError": "Exception",
	"RuntimeError": "Exception", "NotImplementedError": "RuntimeError", "RecursionError": "RuntimeError", "StopIteration": "Exception",
	"TypeError": "Exception", "ValueError": "Exception", "Warning": "Exception", "UserWarning": "Warning",
	"DeprecationWarning": "Warning", "RuntimeWarning": "Warning",
}

// throw raises one of Python's own exceptions.
func (m *machine) throw(n program.Node, name, message string) {
	f, at := m.place(n.Where())
	panic(raised{&exception{name, []value{text(message)}}, f, at})
}

func (m *machine) raise(st *program.Raise, s *scope) {
	if m.launch != nil && m.launch.driver.lenient && m.trying == 0 {
		m.in.assumed[checksPass] = true
		return
	}
	var v value = m.caught
	if st.X != nil {
		v = m.eval(st.X, s)
	}
	switch x := v.(type) {
	case path: // raise ValueError
		v = &exception{name: lastWord(string(x))}
	case *class:
		v = m.instance(x, &arguments{}, st)
	}
	f, at := m.place(st.Span)
	panic(raised{v, f, at})
}

// try runs a try statement: the body, the clause that catches what it raises, and finally.
func (m *machine) try(st *program.Try, s *scope) (c control, v value) {
	if missing := m.mayLack(st, s); missing != "" {
		return m.importsOrNot(missing, st, s)
	}
	c, v, r := m.attempt(func() (control, value) {
		m.trying++
		c, v, r := m.attempt(func() (control, value) { return m.run(st.Body, s) })
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
func (m *machine) attempt(work func() (control, value)) (c control, v value, r *raised) {
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

func (m *machine) handle(st *program.Try, r *raised, s *scope) (control, value) {
	for _, h := range st.Handlers {
		if h.Type != nil && !m.catches(m.eval(h.Type, s), r.exception) {
			continue
		}
		old := m.caught
		m.caught = r.exception
		defer func() { m.caught = old }()
		if h.Name != "" {
			s.assign(h.Name, r.exception)
		}
		return m.run(h.Body, s)
	}
	panic(*r)
}

// catches reports whether an except clause for a class, or a tuple of them, catches an exception.
func (m *machine) catches(of, exc value) bool {
	switch c := of.(type) {
	case *sequence:
		for _, e := range c.elems {
			if m.catches(e, exc) {
				return true
			}
		}
	case path:
		for _, name := range m.exceptionNames(exc) {
			if name == lastWord(string(c)) {
				return true
			}
		}
	case *class:
		o, ok := exc.(*object)
		return ok && o.class != nil && o.class.derivedFrom(c)
	}
	return false
}

// exceptionNames are the names of an exception's class and of the classes of Python's own that it is derived from.
func (m *machine) exceptionNames(exc value) []string {
	var out []string
	up := func(name string) {
		for ; name != ""; name = exceptionBases[name] {
			out = append(out, name)
		}
	}
	switch exc := exc.(type) {
	case *exception:
		up(exc.name)
	case *object:
		if exc.class != nil {
			for _, b := range exc.class.outside() {
				up(lastWord(b))
			}
		}
	}
	return out
}

// describe says what was raised, for a message.
func (r raised) describe() string {
	switch e := r.exception.(type) {
	case *exception:
		if t, ok := first(e.args).(text); ok {
			return e.name + ": " + clip(string(t))
		}
		return e.name
	case *object:
		return canonical(e)
	}
	return "an exception"
}

// raises reports whether statements end in a raise: they are the body of a check.
func raises(body []program.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	_, ok := body[len(body)-1].(*program.Raise)
	return ok
}

// checked gives the statements that go on after a check that raises, where the check itself cannot be decided: what the
// program forbids is not looked at.
func (m *machine) checked(st *program.If) ([]program.Stmt, bool) {
	then, other := raises(st.Then), raises(st.Else)
	if then == other {
		return nil, false
	}
	m.in.assumed["checks that raise an error pass where run-time values decide them"] = true
	if then {
		return st.Else, true
	}
	return st.Then, true
}

// outer makes names of a function stand for those of the function around it (nonlocal) or of the module (global).
func (m *machine) outer(st *program.Outer, s *scope) {
	if n := len(m.regions); n > 0 {
		m.noteOpaque(st.Span, limit.Undefined.Sayf("a function that binds variables of another is called in what the DSL traces as a whole, from line %d, which it refuses", m.regions[n-1].line), true)
	}
	for _, name := range st.Names {
		from := m.globals
		if !st.Global && s.parent != nil {
			from = s.parent
		}
		l, ok := from.lookup(name)
		if !ok {
			l = &cell{v: data{}}
			m.globals.vars[name] = l
		}
		s.vars[name] = l
	}
}

// mayLack is a module that a try statement imports, with a clause for one that is not there, and that is not found: whether the
// machine on which the script runs has it is not known.
func (m *machine) mayLack(st *program.Try, s *scope) string {
	lacks := func(h program.Handler) bool {
		return h.Type == nil || m.catches(m.eval(h.Type, s), &exception{name: "ModuleNotFoundError"})
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
func (m *machine) importsOrNot(missing string, st *program.Try, s *scope) (control, value) {
	c, v := m.run(st.Body, s)
	if c == next {
		c, v = m.run(st.Else, s)
	}
	with := map[string]value{}
	for name, l := range s.vars {
		if _, imported := l.(*importCell); !imported {
			with[name] = l.get()
		}
	}
	kept := maps.Clone(s.vars)
	other := newScope(s, true)
	_, _, r := m.attempt(func() (control, value) {
		return m.handle(st, &raised{exception: &exception{name: "ModuleNotFoundError"}}, other)
	})
	if r != nil { // it needs the module
		other.vars = nil
	}
	there := atom("there is a module " + missing)
	maps.Copy(s.vars, kept)
	for name, l := range other.vars {
		x, okx := asSym(with[name])
		y, oky := asSym(l.get())
		switch {
		case kept[name] == nil:
			s.vars[name] = l
		case okx && oky && x.String() != y.String():
			s.declare(name, symbol{&symExpr{op: "?", c: there.expr, x: x, y: y, size: x.size + y.size + 1}})
		}
	}
	if fc, fv := m.run(st.Finally, s); fc != next {
		return fc, fv
	}
	return c, v
}
