package lower

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// control says how a statement ended.
type control uint8

const (
	next control = iota
	breaks
	continues
	returns
)

// run executes statements; v is the value returned, if control is returns.
func (m *machine) run(body []program.Stmt, s *value.Scope) (control, value.Value) {
	for _, st := range body {
		if c, v := m.exec(st, s); c != next {
			return c, v
		}
		m.inquiry.Passed(s, st.Where().Start)
	}
	return next, nil
}

func (m *machine) exec(st program.Stmt, s *value.Scope) (control, value.Value) {
	m.burn(st)
	m.watch.at(st, s)
	if !m.host {
		m.in.low.ran[st] = true
	}
	switch st := st.(type) {
	case *program.ExprStmt:
		m.eval(st.X, s)
	case *program.Assign:
		m.assignStmt(st, s)
	case *program.If:
		defer m.stage(st, s)()
		defer m.leavesOut(st.Else, s)
		defer m.leavesOut(st.Then, s)
		return m.branch(st, s)
	case *program.For:
		defer m.within(st)()
		defer m.stage(st, s)()
		defer m.leavesOut(st.Body, s)
		return m.forLoop(st, s)
	case *program.While:
		defer m.within(st)()
		defer m.stage(st, s)()
		defer m.leavesOut(st.Body, s)
		return m.whileLoop(st, s)
	case *program.With:
		return m.with(st, s)
	case *program.Return:
		if st.Value == nil {
			return returns, value.None{}
		}
		return returns, m.evalTyped(st.Value, s)
	case *program.Break:
		return breaks, nil
	case *program.Continue:
		return continues, nil
	case *program.FuncDef:
		s.Declare(st.Func.Name, m.defineFunction(st.Func, s))
	case *program.ClassDef:
		m.classStmt(st, s)
	case *program.Import:
		m.importStmt(st, s)
	case *program.Asm:
		m.asm(st, s)
	case *program.Try:
		return m.try(st, s)
	case *program.Raise:
		m.raise(st, s)
	case *program.Outer:
		m.outer(st, s)
	case *program.Delete:
		m.delete(st, s)
	case *program.OpaqueStmt:
		if !m.host {
			m.noteOpaque(st.Span, limit.Source.Says("statement not understood ("+st.Why+")"), true)
		}
	}
	return next, nil
}

func (m *machine) assignStmt(st *program.Assign, s *value.Scope) {
	if st.Value == nil {
		for _, t := range st.Targets {
			if id, ok := t.(*program.Name); ok {
				m.declareUnset(id.Ident, st, s)
			}
		}
		return
	}
	targets, v := st.Targets, value.Value(nil)
	if st.Op != "" && st.Op != "=" { // Python reads the target first (reference 7.2.1)
		targets = slices.Clone(targets)
		targets[0], s = m.once(targets[0], s)
		v = m.evalTyped(st.Value, s)
		old := m.evalTyped(targets[0], s)
		v = m.augmented(m.operator(strings.TrimSuffix(st.Op, "=")), old, v, st)
	} else {
		v = m.evalTyped(st.Value, s)
	}
	if f, ok := st.Value.(*program.Float); ok && value.IsData(v) && (st.Op == "" || st.Op == "=") {
		m.constant = f.Text
		defer func() { m.constant = "" }()
	}
	for _, t := range targets {
		t, at := m.once(t, s)
		m.assign(t, v, at)
	}
}

// declareUnset binds a declaration without initialiser.
func (m *machine) declareUnset(name string, st *program.Assign, s *value.Scope) {
	v := m.zero(st)
	s.Declare(name, v)
}

// zero is the value of a declaration without initialiser: an instance of a class of the file, or not known.
func (m *machine) zero(st *program.Assign) value.Value {
	if c := m.mod.Classes[st.Type]; c != nil {
		return m.instance(&value.Class{Decl: c, Mod: m.mod}, &value.Arguments{}, st)
	}
	return value.Data{}
}

func (m *machine) unpack(targets []program.Expr, v value.Value, s *value.Scope) {
	if m.starred(targets, v, s) {
		return
	}
	seq, _ := value.AsSequence(v)
	if seq == nil {
		if items, ok := v.(*value.Mapping); ok {
			seq = &value.Sequence{Elems: items.Items()}
		} else if o, ok := v.(*value.Object); ok {
			if items, ok := m.iterate(o, targets[0]); ok {
				seq = &value.Sequence{Elems: items}
			}
		}
	}
	sym, isSym := v.(value.Symbol)
	// The elements are read before any target is written, so that a, b = b, a swaps.
	vals := make([]value.Value, len(targets))
	for i := range targets {
		switch {
		case seq != nil && i < len(seq.Elems):
			vals[i] = seq.Elems[i]
		case isSym && len(sym.Expr.String()) < 200:
			vals[i] = value.Atom(sym.Expr.String() + "[" + value.Canonical(value.Int(i)) + "]")
		default:
			vals[i] = value.Data{}
		}
	}
	for i, t := range targets {
		m.assign(t, vals[i], s)
	}
}

func (m *machine) with(st *program.With, s *value.Scope) (control, value.Value) {
	return m.withItems(st, st.Items, s)
}

func (m *machine) withItems(st *program.With, items []program.WithItem, s *value.Scope) (control, value.Value) {
	if len(items) == 0 {
		return m.run(st.Body, s)
	}
	it := items[0]
	v := m.eval(it.X, s)
	if c, ok := it.X.(*program.Call); ok && m.elects(c) { // with elect_one(): the body runs in one lane
		if !m.truth(v, it.X) {
			return next, nil
		}
		return m.withItems(st, items[1:], s)
	}
	manager, _ := v.(*value.Object)
	if enter := m.dunder(manager, "__enter__"); enter != nil {
		v = m.callWith(enter, &value.Arguments{}, it.X)
	}
	if it.As != nil {
		m.assign(it.As, v, s)
	}
	exit := m.dunder(manager, "__exit__")
	if exit == nil {
		return m.withItems(st, items[1:], s)
	}
	c, v, r := m.attempt(func() (control, value.Value) { return m.withItems(st, items[1:], s) })
	if r == nil {
		m.callWith(exit, &value.Arguments{Vals: []value.Value{value.None{}, value.None{}, value.None{}}}, it.X)
		return c, v
	}
	swallowed := m.callWith(exit, &value.Arguments{Vals: []value.Value{value.Data{}, r.exception, value.None{}}}, it.X)
	if t, ok := swallowed.(value.Int); !ok || t == 0 {
		panic(*r)
	}
	return next, nil
}

func (m *machine) elects(c *program.Call) bool {
	op, ok := m.table().Call(c, nil)
	return ok && op.Kind == dialect.ElectOne
}

// assign stores v where the target says.
func (m *machine) assign(t program.Expr, v value.Value, s *value.Scope) {
	switch t := t.(type) {
	case *program.Name:
		s.Assign(t.Ident, v)
		if l, ok := s.Lookup(t.Ident); ok && m.unbounded > 0 {
			m.wraps(t, l.Get())
		}
	case *program.Tuple:
		m.unpack(t.Elems, v, s)
	case *program.List:
		m.unpack(t.Elems, v, s)
	case *program.Attr:
		x := m.eval(t.X, s)
		if value.IsData(x) {
			m.unplaced(t, s)
		}
		m.setAttribute(x, mangled(t.Name, s), v, t)
		if o, ok := x.(*value.Object); ok {
			m.wraps(t, o.Fields[mangled(t.Name, s)])
		}
	case *program.Index:
		m.busy(t)
		if m.storeElement(t, v, s) || m.setItem(t, v, s) {
			return
		}
		if p, ok := m.address(t, s); ok {
			m.store(p, v, t)
			return
		}
		l := m.locate(t, s)
		if e, ok := l.(value.ElementOf); ok {
			m.replaces(e.S, e.Get(), v, t)
		}
		if l == (value.Nowhere{}) {
			m.strays(t, m.eval(t.X, s), true)
			m.swallows(t, v)
		}
		m.at = t
		l.Set(v)
		if e, ok := l.(value.ElementOf); ok {
			m.wraps(t, e.Get())
		}
	case *program.OpaqueExpr:
		m.eval(t, s)
		if !m.host {
			m.stop(t, limit.Source, "what is assigned to is not understood (%s)", t.Why)
		}
	case *program.Starred:
		m.assign(t.X, v, s)
	default:
		m.eval(t, s)
		m.unplaced(t, s)
	}
}
