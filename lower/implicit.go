package lower

import (
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// What Python calls by itself, or not when it is called, and is not evaluated: its results are not known, and what synchronizes in it
// stops the kernel.

// generates reports whether a function is a generator: calling it runs none of its body (reference 6.2.9).
func (m *machine) generates(body []program.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	yields, known := m.in.low.generators[body[0]]
	if !known {
		yields = syntax.Suspends(body)
		m.in.low.generators[body[0]] = yields
	}
	return yields
}

// suspended is the generator that a call gives. Who goes through it, and when, is not followed.
func (m *machine) suspended(body []program.Stmt, s *value.Scope) value.Value {
	for _, st := range body {
		if !m.host && m.syncs(st) {
			m.stop(st, limit.Source, "this synchronizes in a generator, whose statements run when something iterates over it")
		}
	}
	m.havoc(&program.Block{Body: body}, s)
	return value.Data{}
}

// hasEffects reports whether it matters how often a function runs: it synchronizes, assigns to what is not its own, or calls something
// for what it does. A call of a method of a variable of its own is none.
func (m *machine) hasEffects(fn *program.Function) bool {
	own, effects := map[string]bool{}, false
	root := func(e program.Expr) string {
		for {
			switch x := e.(type) {
			case *program.Attr:
				e = x.X
			case *program.Index:
				e = x.X
			case *program.Name:
				return x.Ident
			default:
				return ""
			}
		}
	}
	program.WalkStmts(fn.Body, func(st program.Stmt) bool {
		switch st := st.(type) {
		case *program.Assign:
			for _, t := range st.Targets {
				if id, ok := t.(*program.Name); ok {
					own[id.Ident] = true
				} else if _, tuple := t.(*program.Tuple); !tuple {
					effects = effects || !own[root(t)]
				}
			}
		case *program.Outer, *program.Delete:
			effects = true
		case *program.ExprStmt:
			if call, ok := st.X.(*program.Call); ok {
				at, method := call.Fun.(*program.Attr)
				effects = effects || !(method && own[root(at)]) && !unevaluated(value.LastName(call.Fun))
			}
		}
		return true
	})
	return effects || m.syncs(&program.Block{Body: fn.Body})
}
