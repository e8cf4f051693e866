package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/program"
)

// captured is the scope that the body of a lambda sees. C++ copies what is captured by value when the lambda is made, and
// initialises captures then (C++ [expr.prim.lambda.capture]).
func (m *machine) captured(e *program.Lambda, s *scope) *scope {

	return s

}
