package rules

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// built is the branch of an `if constexpr` that the template arguments of a helper choose, where they are constants. What a
// class fixes may differ from specialization to specialization.
func (w *walker) built(s *program.If, p place) ([]program.Stmt, bool) {
	if !s.Const || p.fn.file.file.Language != program.CUDA || ofClass(s.Cond) {
		return nil, false
	}
	v, known := w.names(p).fold(substitute(s.Cond, p))
	if v != 0 {
		return s.Then, known
	}
	return s.Else, known
}

// ofClass reports whether an expression names something of a class.
func ofClass(x program.Expr) bool {
	found := false
	program.WalkExprs(x, func(e program.Expr) bool {
		n, ok := e.(*program.Name)
		_, member := e.(*program.Attr)
		found = found || member || ok && strings.Contains(n.Ident, "::")
		return !found
	})
	return found
}

// deduced reports whether the type of an argument may tell what a template parameter is.
func deduced(name string, callee *program.Function) bool {
	return slices.ContainsFunc(callee.Params, func(q program.Param) bool { return strings.Contains(q.Type, name) })
}
