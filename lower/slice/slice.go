// Package slice has the backward slice of a kernel: what synchronization depends on.
package slice

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// Line is one statement of a kernel and whether the model needs it.
type Line struct {
	Span source.Span
	Kept bool
	Why  string // "mbarrier_wait", "defines gate", "decides a kept statement (leader)", "data"
}

// Of is the backward closure over data and control dependences from the statements of a function that are kept for themselves: those
// for which seed gives a reason. It is flow-insensitive: a name is needed or it is not.
func Of(fn *program.Function, in *source.File, seed func(program.Stmt) string) []Line {
	s := &slicer{file: in, seed: seed, needed: map[string]string{}}
	s.close(fn)
	out := make([]Line, len(s.lines))
	for i, l := range s.lines {
		out[i] = Line{Span: l.stmt.Where(), Kept: l.why != "", Why: l.why}
		if l.why == "" {
			out[i].Why = "data"
			if touchesMemory(l.stmt) {
				out[i].Why = "data; its accesses are checked for races"
			}
		}
	}
	return out
}

func (s *slicer) close(fn *program.Function) {
	s.collect(fn.Body, nil)
	for changed := true; changed; {
		changed = false
		for i := range s.lines {
			changed = s.consider(&s.lines[i]) || changed
		}
	}
}

type slicer struct {
	file   *source.File
	seed   func(program.Stmt) string
	reads  func(program.Stmt) []program.Expr // of a seed what it depends on; nil for all that it mentions
	lines  []sliceStmt
	needed map[string]string // name → why
}

type sliceStmt struct {
	stmt    program.Stmt
	control []program.Expr // conditions and loop headers around it
	why     string
}

// collect lists the leaf statements with what controls them.
func (s *slicer) collect(body []program.Stmt, control []program.Expr) {
	under := func(es ...program.Expr) []program.Expr {
		out := append([]program.Expr{}, control...)
		for _, e := range es {
			if e != nil {
				out = append(out, e)
			}
		}
		return out
	}
	for _, st := range body {
		switch st := st.(type) {
		case *program.If:
			s.collect(st.Then, under(st.Cond))
			s.collect(st.Else, under(st.Cond))
		case *program.For:
			s.collect(st.Body, under(st.Iter))
			s.collect(st.Else, under(st.Iter))
		case *program.While:
			s.collect(st.Body, under(st.Cond))
			s.collect(st.Else, under(st.Cond))
		case *program.Try:
			s.collect(st.Body, control)
			for _, h := range st.Handlers {
				s.collect(h.Body, control)
			}
			s.collect(st.Else, control)
			s.collect(st.Finally, control)
		case *program.With:
			var heads []program.Expr
			for _, it := range st.Items {
				heads = append(heads, it.X)
			}
			s.collect(st.Body, under(heads...))
		case *program.FuncDef, *program.ClassDef, *program.Import, *program.Break, *program.Continue:
		case *program.ExprStmt:
			if _, doc := st.X.(*program.String); !doc {
				s.lines = append(s.lines, sliceStmt{stmt: st, control: control})
			}
		default:
			s.lines = append(s.lines, sliceStmt{stmt: st, control: control})
		}
	}
}

// consider keeps a statement that is needed, and says whether that changed anything.
func (s *slicer) consider(l *sliceStmt) bool {
	if l.why != "" {
		return false
	}
	parts := []program.Expr(nil)
	if l.why = s.seed(l.stmt); l.why != "" && s.reads != nil {
		parts = s.reads(l.stmt)
	} else if l.why == "" {
		for _, name := range syntax.Defines(l.stmt) {
			if user, ok := s.needed[name]; ok {
				l.why = fmt.Sprintf("defines %s, needed by %s", name, user)
				break
			}
		}
	}
	if l.why == "" {
		return false
	}
	user := fmt.Sprintf("line %d", s.file.Position(l.stmt.Where().Start).Line)
	if parts == nil {
		s.need(l.stmt, user)
	}
	for _, c := range append(parts, l.control...) {
		s.need(c, user)
	}
	return true
}

// need marks the names a kept statement reads.
func (s *slicer) need(n program.Node, user string) {
	read := func(e program.Expr) {
		program.WalkExprs(e, func(e program.Expr) bool {
			if id, ok := e.(*program.Name); ok {
				if _, has := s.needed[id.Ident]; !has {
					s.needed[id.Ident] = user
				}
			}
			return true
		})
	}
	if a, ok := n.(*program.Assign); ok {
		if a.Value != nil {
			read(a.Value)
		}
		for _, t := range a.Targets {
			if _, plain := t.(*program.Name); !plain {
				read(t)
			}
		}
		return
	}
	program.Walk(n, func(n program.Node) bool {
		if e, ok := n.(program.Expr); ok {
			read(e)
			return false
		}
		return true
	})
}

func touchesMemory(st program.Stmt) bool {
	found := false
	program.WalkExprs(st, func(e program.Expr) bool {
		if _, ok := e.(*program.Index); ok {
			found = true
		}
		return !found
	})
	return found
}
