package lower

import "github.com/fencepost-dev/fencepost/program"

// assign stores v where the target says.
func (m *machine) assign(t program.Expr, v value, s *scope) {
	switch t := t.(type) {
	case *program.Name:
		if l, ok := s.lookup(t.Ident); ok {
			if sh, ok := l.(memoryPlace); ok {
				m.put(sh, v, t)
				return
			}
		}
		s.assign(t.Ident, v)
		if l, ok := s.lookup(t.Ident); ok && m.unbounded > 0 {
			m.wraps(t, l.get())
		}
	case *program.Tuple:
		m.unpack(t.Elems, v, s)
	case *program.List:
		m.unpack(t.Elems, v, s)
	case *program.Attr:
		x := m.eval(t.X, s)
		if isData(x) {
			m.unplaced(t, s)
		}
		m.setAttribute(x, mangled(t.Name, s), v, t)
		if o, ok := x.(*object); ok {
			m.wraps(t, o.fields[mangled(t.Name, s)])
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
		if e, ok := l.(elementOf); ok {
			m.replaces(e.s, e.get(), v, t)
		}
		if l == (nowhere{}) {

			m.strays(t, m.eval(t.X, s), true)

			m.swallows(t, v)
		}
		m.put(l, v, t)
		if e, ok := l.(elementOf); ok {
			m.wraps(t, e.get())
		}
	case *program.Unary:
		if t.Op == "*" {
			switch x := m.eval(t.X, s).(type) {
			case pointer:
				m.store(x, v, t)
			case location:
				m.put(x, v, t)
			case *object:
				m.put(m.locate(t, s), v, t)
			default:
				if p, ok := m.pointerOf(x); ok {
					m.store(p, v, t)
					return
				}
				m.unplaced(t, s)
			}
			return
		}
		m.unplaced(t, s)
	case *program.Call: // of a function that gives a reference
		l := m.locate(t, s)
		if l == (nowhere{}) {
			m.unplaced(t, s)
			m.eval(t, s) // it may not be read
		}
		m.put(l, v, t)
	case *program.OpaqueExpr:
		if t.Why == program.Comma && len(t.Parts) > 0 {
			last := len(t.Parts) - 1
			for _, p := range t.Parts[:last] {
				m.eval(p, s)
			}
			m.assign(t.Parts[last], v, s)
			return
		}
		m.eval(t, s)
		if !m.host {
			m.stop(t, "what is assigned to is not understood (%s)", t.Why)
		}
	case *program.AssignExpr: // (x += 1) = 2
		m.eval(t, s)
		m.assign(t.Target, v, s)
	case *program.Cond:
		l := m.locate(t, s)
		if l == (nowhere{}) {
			m.eval(t, s)
			m.unplaced(t, s)
		}
		m.put(l, v, t)
	case *program.Starred:
		m.assign(t.X, v, s)
	default:
		m.eval(t, s)
		m.unplaced(t, s)
	}
}
