package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
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
func (m *machine) run(body []program.Stmt, s *scope) (control, value) {
	for _, st := range body {
		if c, v := m.exec(st, s); c != next {
			return c, v
		}
	}
	return next, nil
}

func (m *machine) exec(st program.Stmt, s *scope) (control, value) {
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
		return m.branch(st, s)
	case *program.For:
		defer m.within(st)()
		defer m.stage(st, s)()
		return m.forLoop(st, s)
	case *program.While:
		defer m.within(st)()
		defer m.stage(st, s)()
		return m.whileLoop(st, s)
	case *program.With:
		return m.with(st, s)
	case *program.Return:
		if st.Value == nil {
			return returns, none{}
		}
		if m.placing == m.depth && m.placing > 0 {
			if l, ok := m.refers(st.Value, s); ok {
				return returns, l
			}
		}
		return returns, m.evalTyped(st.Value, s)
	case *program.Break:
		return breaks, nil
	case *program.Continue:
		return continues, nil
	case *program.Block:
		return m.run(st.Body, newScope(s, false))
	case *program.FuncDef:

		s.declare(st.Func.Name, m.defineFunction(st.Func, s))

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
			m.noteOpaque(st.Span, "statement not understood ("+st.Why+")", true)
		}
	}
	return next, nil
}

func (m *machine) assignStmt(st *program.Assign, s *scope) {
	if st.Decl && st.Shared {
		m.declareShared(st, s)
		return
	}
	if id, ok := m.variable(st); ok && !m.host {
		s.vars[id.Ident] = m.globalVariable(id.Ident+s.instantiation().name+fmt.Sprintf("@%d", m.file.Source.Position(st.Span.Start).Line), st, s)
		return
	}
	if st.Value == nil {
		for _, t := range st.Targets {
			if id, ok := t.(*program.Name); ok {
				m.declareUnset(id.Ident, st, s)
			}
		}
		return
	}
	if st.Decl && m.binds(st, s) {
		return
	}
	targets, v := st.Targets, value(nil)
	if st.Op != "" && st.Op != "=" { // Python reads the target first (reference 7.2.1)
		targets = slices.Clone(targets)
		targets[0], s = m.once(targets[0], s)
		v = m.evalTyped(st.Value, s)
		old := m.evalTyped(targets[0], s)
		if _, done := m.compounds(st.Op, old, v, st); done {
			return
		}
		v = m.augmented(m.operator(strings.TrimSuffix(st.Op, "=")), old, v, st)
	} else {
		v = m.evalTyped(st.Value, s)
	}

	if f, ok := st.Value.(*program.Float); ok && isData(v) && (st.Op == "" || st.Op == "=") {
		m.constant = f.Text
		defer func() { m.constant = "" }()
	}
	for _, t := range targets {
		t, at := m.once(t, s)
		m.assign(t, v, at)
	}
}

// braced reports whether an initialiser is a list in braces whose elements stand for the fields in their order.
func braced(e program.Expr) bool {
	list, ok := e.(*program.List)
	return ok && !slices.ContainsFunc(list.Elems, func(e program.Expr) bool {
		_, designated := e.(*program.AssignExpr)
		return designated
	})
}

// declare binds a C++ declaration in the innermost scope. A reference shares its initialiser's place.
func (m *machine) declare(t program.Expr, v value, st *program.Assign, s *scope) {
	switch t := t.(type) {
	case *program.Name:
		if reference(st.Type) {
			if l, ok := m.refers(st.Value, s); ok {
				m.usedAs(st.Type, l, st, s)
				s.vars[t.Ident] = l
				return
			}
			m.bindsUnknown(st.Type, st.Value, v, s)
		}
		as := m.declares(st.Type, s)
		if !reference(st.Type) {
			v = m.begins(st, v, st.Value, s)
		}
		if len(st.Dims) > 0 {
			if seq, ok := v.(*sequence); ok && as != nil {
				m.in.arrays[seq] = as
				for i, x := range seq.elems {
					seq.elems[i] = as.of(x)
				}
			}
			as = nil
		} else if plainType(st.Type) == "auto" {
			as = initialized(v)
		}
		m.isPointer(st.Type, v)
		s.declareAs(t.Ident, m.wraps(t, as.of(v)), as)
	case *program.Tuple:
		seq, _ := v.(*sequence)
		for i, e := range t.Elems {
			var x value = data{}
			if seq != nil && i < len(seq.elems) {
				x = seq.elems[i]
			}
			m.declare(e, x, st, s)
		}
	default:
		m.assign(t, v, s)
	}
}

// declareUnset binds a declaration without initialiser.
func (m *machine) declareUnset(name string, st *program.Assign, s *scope) {
	v, as := m.zero(st, s), m.declares(st.Type, s)
	if seq, ok := v.(*sequence); ok && len(st.Dims) > 0 {
		m.in.arrays[seq], as = as, nil
	}
	s.declareAs(name, v, as)
}

// zero is the value of a declaration without initialiser: an array of the given extents, an instance of a class of
// the file, or an indeterminate scalar.
func (m *machine) zero(st *program.Assign, s *scope) value {
	if len(st.Dims) > 0 {
		n, ok := m.settle(m.eval(st.Dims[0], s)).(integer)
		if !ok || n < 0 || n > 1<<16 {
			return data{}
		}
		out := &sequence{elems: make([]value, n)}
		for i := range out.elems {
			out.elems[i] = data{}
		}
		return out
	}
	if plainType(st.Type) == "dim3" {
		return &sequence{elems: []value{integer(1), integer(1), integer(1)}}
	}
	if c := m.mod.classes[st.Type]; c != nil && !c.Enum {
		return m.instance(&class{decl: c, mod: m.mod}, &arguments{}, st)
	}
	return data{}
}

func (m *machine) unpack(targets []program.Expr, v value, s *scope) {
	if m.starred(targets, v, s) {
		return
	}
	seq, _ := asSequence(v)
	if seq == nil {
		if items, ok := v.(*mapping); ok {
			seq = &sequence{elems: items.items()}
		} else if o, ok := v.(*object); ok {
			if items, ok := m.iterate(o, targets[0]); ok {
				seq = &sequence{elems: items}
			}
		}
	}
	sym, isSym := v.(symbol)
	// The elements are read before any target is written, so that a, b = b, a swaps.
	vals := make([]value, len(targets))
	for i := range targets {
		switch {
		case seq != nil && i < len(seq.elems):
			vals[i] = seq.elems[i]
		case isSym && len(sym.expr.String()) < 200:
			vals[i] = atom(sym.expr.String() + "[" + canonical(integer(i)) + "]")
		default:
			vals[i] = data{}
		}
	}
	for i, t := range targets {
		m.assign(t, vals[i], s)
	}
}

func (m *machine) with(st *program.With, s *scope) (control, value) {
	return m.withItems(st, st.Items, s)
}

func (m *machine) withItems(st *program.With, items []program.WithItem, s *scope) (control, value) {
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
	manager, _ := v.(*object)
	if enter := m.dunder(manager, "__enter__", it.X); enter != nil {
		v = m.callWith(enter, &arguments{}, it.X)
	}
	if it.As != nil {
		m.assign(it.As, v, s)
	}
	exit := m.dunder(manager, "__exit__", it.X)
	if exit == nil {
		return m.withItems(st, items[1:], s)
	}
	c, v, r := m.attempt(func() (control, value) { return m.withItems(st, items[1:], s) })
	if r == nil {
		m.callWith(exit, &arguments{vals: []value{none{}, none{}, none{}}}, it.X)
		return c, v
	}
	swallowed := m.callWith(exit, &arguments{vals: []value{data{}, r.exception, none{}}}, it.X)
	if t, ok := swallowed.(integer); !ok || t == 0 {
		panic(*r)
	}
	return next, nil
}

func (m *machine) elects(c *program.Call) bool {
	op, ok := m.table().Call(c, nil)
	return ok && op.Kind == dialect.ElectOne
}
