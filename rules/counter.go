package rules

import "github.com/fencepost-dev/fencepost/program"

// start is the variable that a C-style loop counts with, "" if there is none, and what it is at first. A loop that goes on with a variable declared before it is taken to begin
// where that was declared, if at a constant.
func (l *loop) start() (string, program.Expr) {
	s, ok := l.stmt.(*program.For)
	if !ok || len(s.Post) != 1 || len(s.Init) > 1 {
		return "", nil
	}
	if len(s.Init) == 1 {
		if a, isAssign := s.Init[0].(*program.Assign); isAssign && len(a.Targets) == 1 && a.Value != nil {
			return path(a.Targets[0]), a.Value
		}
		return "", nil
	}
	name := stepped(s.Post[0])
	if decls := l.owner.decls[name]; name != "" && len(decls) == 1 {
		if a, isAssign := decls[0].node.(*program.Assign); isAssign {
			if n, constant := a.Value.(*program.Int); constant {
				return name, n
			}
		}
	}
	return "", nil
}

// stepped is the variable that the last part of a loop's header changes.
func stepped(s program.Stmt) string {
	switch s := s.(type) {
	case *program.ExprStmt:
		if i, ok := s.X.(*program.IncDec); ok {
			return path(i.X)
		}
	case *program.Assign:
		if len(s.Targets) == 1 {
			return path(s.Targets[0])
		}
	}
	return ""
}
