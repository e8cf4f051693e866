package lower

import (
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

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
