package lower

// bounds notes that a loop goes round as often as a value, or a test that the value is part of, says. A kernel that goes
// wrong only where such an unknown is zero may rely on its caller not to ask for that (notes/cutedsl.md 3.2, R9).
func (m *machine) bounds(v value) {
	if s, ok := v.(symbol); ok && !m.host {
		m.boundsIn(s.expr, 0)
	}
}

// boundsIn notes the parts of an expression; which of them are unknowns shows when they are asked for.
func (m *machine) boundsIn(e *symExpr, depth int) {
	if e.isN || depth > 16 {
		return
	}
	m.in.low.rounds[e.String()] = true
	if isComparison(e.op) {
		if w, ok := m.strided(e); ok {
			m.in.low.rounds[w.steps.String()] = true
		}
	}
	if e.op == "" {
		return
	}
	m.boundsIn(e.x, depth+1)
	if e.y != nil {
		m.boundsIn(e.y, depth+1)
	}
}
