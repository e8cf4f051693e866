// Package syntax has the questions about kernels that a piece of their text answers by itself.
package syntax

import (
	"slices"

	"github.com/fencepost-dev/fencepost/program"
)

// Binds reports whether a body binds a name.
func Binds(body []program.Stmt, name string) bool {
	found := false
	is := func(e program.Expr) {
		program.WalkExprs(e, func(e program.Expr) bool {
			id, ok := e.(*program.Name)
			found = found || ok && id.Ident == name
			return !found
		})
	}
	program.WalkStmts(body, func(st program.Stmt) bool {
		switch st := st.(type) {
		case *program.Assign:
			for _, t := range st.Targets {
				is(t)
			}
		case *program.For:
			if st.Target != nil {
				is(st.Target)
			}
		case *program.With:
			for _, it := range st.Items {
				if it.As != nil {
					is(it.As)
				}
			}
		}
		return !found
	})
	return found
}

// Defines lists the names a statement binds. A store through a pointer or into an array defines nothing here: what
// memory holds never decides synchronization in this model, except flags, which are operations.
func Defines(st program.Stmt) []string {
	var out []string
	add := func(e program.Expr) {
		if id, ok := e.(*program.Name); ok {
			out = append(out, id.Ident)
		}
	}
	program.Walk(st, func(n program.Node) bool {
		switch n := n.(type) {
		case *program.Assign:
			for _, t := range n.Targets {
				if tu, ok := t.(*program.Tuple); ok {
					for _, e := range tu.Elems {
						add(e)
					}
				}
				add(t)
			}
		case *program.AssignExpr:
			add(n.Target)
		case *program.Asm:
			for _, o := range n.Outputs {
				add(o.X)
			}
		}
		return true
	})
	return out
}

// GivesUp reports whether the statements end in an error.
func GivesUp(body []program.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	switch st := body[len(body)-1].(type) {
	case *program.Raise:
		return true
	case *program.ExprStmt:
		c, ok := st.X.(*program.Call)
		return ok && EndsProcess(c)
	case *program.If:
		return len(st.Else) > 0 && GivesUp(st.Then) && GivesUp(st.Else)
	}
	return false
}

// EndsProcess reports whether a call does not come back: sys.exit, exit, pytest.skip.
func EndsProcess(c *program.Call) bool {
	name := ""
	switch f := c.Fun.(type) {
	case *program.Name:
		name = f.Ident
	case *program.Attr:
		name = f.Name
	}
	switch name {
	case "exit", "_exit", "quit", "abort", "skip", "fail":
		return true
	}
	return false
}

// OnlyReads reports whether the body assigns nothing but plain variables.
func OnlyReads(body []program.Stmt) bool {
	ok := true
	program.WalkStmts(body, func(st program.Stmt) bool {
		if a, is := st.(*program.Assign); is {
			for _, t := range a.Targets {
				if _, name := t.(*program.Name); !name {
					ok = false
				}
			}
		}
		return ok
	})
	return ok && len(body) <= 4
}

// Leaves reports whether the statements can end the loop or function around them.
func Leaves(body []program.Stmt) bool {
	found := false
	program.WalkStmts(body, func(st program.Stmt) bool {
		switch st.(type) {
		case *program.Return, *program.Break, *program.Continue:
			found = true
		}
		return !found
	})
	return found
}

// ReturnsFrom reports whether the statements can end the function around them.
func ReturnsFrom(body []program.Stmt) bool {
	found := false
	program.WalkStmts(body, func(st program.Stmt) bool {
		if _, ok := st.(*program.Return); ok {
			found = true
		}
		return !found
	})
	return found
}

// Assigns reports whether an arm of a branch gives a variable a value.
func Assigns(st *program.If) bool {
	found := false
	program.WalkStmts(append(slices.Clone(st.Then), st.Else...), func(s program.Stmt) bool {
		if _, ok := s.(*program.Assign); ok {
			found = true
		}
		return !found
	})
	return found
}

// AssignsText reports whether one of the statements assigns a text.
func AssignsText(body []program.Stmt) bool {
	return slices.ContainsFunc(body, func(st program.Stmt) bool {
		a, ok := st.(*program.Assign)
		if !ok {
			return false
		}
		_, literal := a.Value.(*program.String)
		return literal
	})
}

// PicksText reports whether each arm of a branch is to assign a text: there are none when the kernel runs, so that the
// branch is decided while the kernel is traced, and what depends on the text needs the one or the other.
func PicksText(st *program.If) bool {
	return AssignsText(st.Then) && AssignsText(st.Else)
}

// EndsLoop reports whether statements end by leaving the loop around them.
func EndsLoop(body []program.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	switch body[len(body)-1].(type) {
	case *program.Break, *program.Return:
		return true
	}
	return false
}

// BodyOf is the body of a loop.
func BodyOf(loop program.Stmt) []program.Stmt {
	switch st := loop.(type) {
	case *program.For:
		return st.Body
	case *program.While:
		return st.Body
	}
	return nil
}

// Raises reports whether statements end in a raise: they are the body of a check.
func Raises(body []program.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	_, ok := body[len(body)-1].(*program.Raise)
	return ok
}

// Suspends reports whether a body yields: its function is a generator.
func Suspends(body []program.Stmt) bool {
	for e := range program.Exprs(body) {
		if o, ok := e.(*program.OpaqueExpr); ok && o.Why == "yield" {
			return true
		}
	}
	return false
}

// Carried is what the DSL sees the body of a loop or an if assign: the names that it carries from round to round, and which of
// them are assigned as a whole (notes/cutedsl.md 2).
func Carried(st program.Stmt) (carried, bound map[string]bool) {
	carried, bound = map[string]bool{}, map[string]bool{}
	assigned := func(t program.Expr) {
		if id, ok := t.(*program.Name); ok {
			bound[id.Ident] = true
		}
		program.WalkExprs(t, func(e program.Expr) bool {
			if id, ok := e.(*program.Name); ok {
				carried[id.Ident] = true
			}
			return true
		})
	}
	program.Walk(st, func(n program.Node) bool {
		switch n := n.(type) {
		case *program.Assign:
			for _, t := range n.Targets {
				assigned(t)
			}
		case *program.For:
			assigned(n.Target)
		case *program.Call:
			if a, ok := n.Fun.(*program.Attr); ok {
				if id := Receiver(a); id != "" && id != "self" {
					carried[id] = true
				}
			}
		}
		return true
	})
	return carried, bound
}

// Given is what a statement assigns to variables, and to attributes of them: of a part of what is assigned, that.
func Given(st program.Node) map[string][]program.Expr {
	out := map[string][]program.Expr{}
	give := func(target, v program.Expr) {
		if target == nil || v == nil {
			return
		}
		program.WalkExprs(target, func(e program.Expr) bool {
			if id, ok := e.(*program.Name); ok {
				out[id.Ident] = append(out[id.Ident], v)
			}
			_, element := e.(*program.Index)
			return !element
		})
	}
	program.Walk(st, func(n program.Node) bool {
		switch n := n.(type) {
		case *program.Assign:
			for _, t := range n.Targets {
				give(t, n.Value)
			}
		case *program.AssignExpr:
			give(n.Target, n.Value)
		case *program.For:
			give(n.Target, n.Iter)
		case *program.With:
			for _, it := range n.Items {
				give(it.As, it.X)
			}
		case *program.Comp:
			for _, c := range n.Clauses {
				give(c.Target, c.Iter)
			}
		}
		return true
	})
	return out
}
