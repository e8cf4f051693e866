package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/program"
)

// captured is the scope that the body of a lambda sees. C++ copies what is captured by value when the lambda is made, and
// initialises captures then (C++ [expr.prim.lambda.capture]).
func (m *machine) captured(e *program.Lambda, s *scope) *scope {
	if m.file.Language == program.CuTe || !e.CopyAll && len(e.Copied) == 0 && e.Inits == 0 {
		return s
	}
	own, seen := newScope(s, false), map[string]bool{}
	for t := s; t != nil && t != m.globals; t = t.parent {
		for name, l := range t.vars {
			if seen[name] {
				continue
			}
			seen[name] = true
			if c, variable := l.(*cell); variable && (slices.Contains(e.Copied, name) || e.CopyAll && !slices.Contains(e.Referred, name)) {
				own.vars[name] = &cell{v: m.copied(c.v), as: c.as, own: true}
			}
		}
	}
	m.run(e.Body[:e.Inits], own)
	return own
}
