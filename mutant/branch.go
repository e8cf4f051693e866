package mutant

import "github.com/fencepost-dev/fencepost/program"

// branches notes what only a part of the threads runs: the loops below a branch or an election, and those of functions
// that are called there only. A loop that all threads run is no role's: once less for everybody is another kernel, and
// as right as this one.
func (s *scan) branches(bodies [][]program.Stmt) {
	everybody := map[string]bool{} // functions that are called outside of all branches, or never
	for _, fn := range s.file.Functions {
		everybody[fn.Name] = true
	}
	called := map[string]bool{}
	s.partial = map[*program.For]bool{}
	for _, body := range bodies {
		s.below(body, false, func(st program.Stmt, branch bool) {
			if f, ok := st.(*program.For); ok && branch {
				s.partial[f] = true
			}
			for _, name := range callsOf(st) {
				called[name] = called[name] || !branch
			}
		})
	}
	for name, outside := range called {
		everybody[name] = outside
	}
	for _, fn := range s.file.Functions {
		if everybody[fn.Name] || fn.Kernel {
			continue
		}
		program.WalkStmts(fn.Body, func(st program.Stmt) bool {
			if f, ok := st.(*program.For); ok {
				s.partial[f] = true
			}
			return true
		})
	}
}

// below visits statements with whether a branch is around them.
func (s *scan) below(body []program.Stmt, branch bool, visit func(program.Stmt, bool)) {
	for _, st := range body {
		visit(st, branch)
		inner := branch
		switch st := st.(type) {
		case *program.If:
			inner = inner || !st.Const
		case *program.With:
			inner = inner || len(st.Items) == 1 && s.isElection(st.Items[0].X)
		}
		for _, b := range nested(st) {
			s.below(b, inner, visit)
		}
	}
}

// callsOf are the names of the functions that a statement itself calls, those of nested statements left out.
func callsOf(st program.Stmt) []string {
	var out []string
	program.Walk(st, func(n program.Node) bool {
		if c, ok := n.(*program.Call); ok {
			out = append(out, lastName(c.Fun))
		}
		inner, isStmt := n.(program.Stmt)
		return !isStmt || inner == st
	})
	return out
}
