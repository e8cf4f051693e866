package lower

import "github.com/fencepost-dev/fencepost/lower/value"

// fix puts the values that the host side has for its unknowns in the place of these: the kernel is compiled for them.
func (m *machine) fix(la *launch) {
	m.sameExtents(la)
	c := value.NewCopier(func(s value.Symbol) value.Value { return m.settle(s) })
	la.self = c.Copy(la.self)
	for i, a := range la.args {
		la.args[i] = c.Copy(a)
	}
	for name, a := range la.keywords {
		la.keywords[name] = c.Copy(a)
	}
}
