package lower

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// repeat runs a loop by rounds, as many as an unknown says where its test is none of each round. It answers whether its test ended it.
func (w *watch) repeat(st *program.While, s *value.Scope) (ended bool, c control, v value.Value) {
	t, m := w.enter(st, w.loops[st]), w.m
	var counter value.Value = value.Int(0)
	var counted *value.Expr // the unknown that says how many rounds there are, where the test is no test of each
	last := ""
	for {
		w.at(st, s)
		w.begins(t, &counter, fmt.Sprint(counted != nil, last))
		test := m.eval(st.Cond, s)
		if sym, ok := test.(value.Symbol); ok && counted == nil && !m.in.low.modelled(sym.Expr) {
			if opaqueTest(sym.Expr) && !value.HasLeaf(sym.Expr) || sym.Expr.String() == last {
				counted = &value.Expr{Atom: "trips of " + sym.Expr.String()}
			}
			if last = sym.Expr.String(); value.HasLeaf(sym.Expr) {
				last = "" // no other test is like it
			}
		}
		if counted != nil {
			test = value.Binary("<", counter, value.Symbol{Expr: counted})
		}
		if !m.truth(test, st.Cond) {
			w.leaves(t)
			return true, next, nil
		}
		if c, v := m.run(st.Body, s); c == breaks || c == returns {
			w.leaves(t)
			if c == breaks {
				c, v = next, nil
			}
			return false, c, v
		}
		counter = value.Binary("+", counter, value.Int(1))
	}
}
