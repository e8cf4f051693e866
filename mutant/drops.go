package mutant

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// statements finds faults in the statements of a body and of those nested in it.
func (s *scan) statements(body []program.Stmt) {
	program.WalkStmts(body, func(st program.Stmt) bool {
		r, kind := s.roleOf(st)
		switch r {
		case "":
		case advance:
			text := s.text(st.Where())
			s.drop("advance-never", st, false)
			if span := st.Where(); !strings.Contains(text, "\n") {
				s.add("advance-twice", false, s.probe(span), edit{span, text + "; " + text})
			}
		default:
			s.drop("drop-"+string(r), st, groups[kind] || r == fences || s.onStores(st))
		}
		switch st := st.(type) {
		case *program.For:
			s.loop(st)
		case *program.With:
			s.elected(st)
		case *program.If:
			s.electedIf(st)
		case *program.Assign:
			s.step(st)
		}
		_, spin := st.(*program.While)
		return r == "" || !spin
	})
}

// groups are the operations that order asynchronous copies and matrix operations: where a model knows nothing of the
// operations they wait for, leaving them out does not change it, and is a fault all the same.
var groups = map[dialect.Kind]bool{
	dialect.BulkCommit: true, dialect.BulkWait: true, dialect.CpAsyncCommit: true, dialect.CpAsyncWait: true, dialect.WgmmaCommit: true, dialect.WgmmaWait: true,
	dialect.WarpSync: true,
}

// onStores tells a method of a pipeline of stores, which stands for bulk groups.
func (s *scan) onStores(st program.Stmt) bool {
	x, ok := st.(*program.ExprStmt)
	if !ok {
		return false
	}
	c, ok := x.X.(*program.Call)
	if !ok {
		return false
	}
	fun, ok := c.Fun.(*program.Attr)
	return ok && s.stores[lastName(fun.X)]
}

// loop makes one role go round once less than the others.
func (s *scan) loop(st *program.For) {
	var bound program.Expr
	if c, ok := st.Iter.(*program.Call); ok {
		switch lastName(c.Fun) {
		case "range", "range_constexpr", "range_dynamic":
			switch len(c.Args) {
			case 1:
				bound = c.Args[0]
			case 2, 3:
				bound = c.Args[1]
			}
		}
	}
	if b, ok := st.Cond.(*program.Binary); ok && (b.Op == "<" || b.Op == "!=") {
		bound = b.Y
	}
	if bound != nil && s.partial[st] && s.reaches(st.Body, 0) {
		s.replace("shorter-loop", bound, "("+s.text(bound.Where())+") - 1")
	}
}

// reaches reports whether a body holds a statement of a role, or calls a function of the file that does.
func (s *scan) reaches(body []program.Stmt, depth int) bool {
	found := false
	program.WalkStmts(body, func(st program.Stmt) bool {
		if r, _ := s.roleOf(st); r != "" {
			found = true
		}
		return !found
	})
	const deepest = 8
	for c := range program.Calls(body) {
		if found || depth >= deepest {
			break
		}
		for _, fn := range s.functions[lastName(c.Fun)] {
			found = found || s.reaches(fn.Body, depth+1)
		}
	}
	return found
}

// elected makes every thread do what one should: `with elect_one():` becomes `if True:`.
func (s *scan) elected(st *program.With) {
	if len(st.Items) != 1 || !s.isElection(st.Items[0].X) {
		return
	}
	span := st.Span
	span.End = st.Items[0].X.Where().End
	for data := s.file.Source.Data; span.End < len(data) && data[span.End] == ')'; { // with (elect_one()):
		span.End++
	}
	s.add("no-elect", false, edit{span, "if fencepost_probe"}, edit{span, keepingLines("if True", s.text(span))})
}

func (s *scan) electedIf(st *program.If) {
	yes := "True"
	if s.file.Language == program.CUDA {
		yes = "true"
	}
	program.WalkExprs(st.Cond, func(e program.Expr) bool {
		if s.isElection(e) {
			s.replace("no-elect", e, yes)
			return false
		}
		return true
	})
}

func (s *scan) isElection(e program.Expr) bool {
	c, ok := e.(*program.Call)
	if !ok {
		return false
	}
	op, ok := s.table.Call(c, nil)
	return ok && op.Kind == dialect.ElectOne
}

// swaps exchanges waits that follow each other in one block.
func (s *scan) swaps(body []program.Stmt) {
	var last program.Stmt
	for _, st := range body {
		r, _ := s.roleOf(st)
		switch {
		case r == waits:
			if last != nil {
				s.swap(last, st)
			}
			last = st
		case r != "":
			last = nil
		}
		for _, inner := range nested(st) {
			s.swaps(inner)
		}
		if r == "" && s.reaches([]program.Stmt{st}, 0) {
			last = nil
		}
	}
}

// swap exchanges two statements of a line each.
func (s *scan) swap(first, second program.Stmt) {
	a, b := s.statement(first), s.statement(second)
	one, two := s.text(a), s.text(b)
	if one != two && !strings.Contains(one+two, "\n") {
		s.add("swap-waits", false, s.probe(a), edit{a, two}, edit{b, one})
	}
}

// nested are the bodies of a statement.
func nested(st program.Stmt) [][]program.Stmt {
	switch st := st.(type) {
	case *program.If:
		return [][]program.Stmt{st.Then, st.Else}
	case *program.For:
		return [][]program.Stmt{st.Body}
	case *program.While:
		return [][]program.Stmt{st.Body}
	case *program.With:
		return [][]program.Stmt{st.Body}
	case *program.Block:
		return [][]program.Stmt{st.Body}
	}
	return nil
}
