package lower

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/program"
)

// repeat runs a loop by rounds, as many as an unknown says where its test is none of each round. It answers whether its test ended it.
func (w *watch) repeat(st *program.While, s *scope) (ended bool, c control, v value) {
	t, m := w.enter(st, w.loops[st]), w.m
	var counter value = integer(0)
	var counted *symExpr // the unknown that says how many rounds there are, where the test is no test of each
	last := ""
	for {
		w.at(st, s)
		w.begins(t, &counter, fmt.Sprint(counted != nil, last))
		test := m.eval(st.Cond, s)
		if sym, ok := test.(symbol); ok && counted == nil && !m.in.low.modelled(sym.expr) {
			if opaqueTest(sym.expr) && !hasLeaf(sym.expr) || sym.expr.String() == last {
				counted = &symExpr{atom: "trips of " + sym.expr.String()}
			}
			if last = sym.expr.String(); hasLeaf(sym.expr) {
				last = "" // no other test is like it
			}
		}
		if counted != nil {
			test = binary("<", counter, symbol{counted})
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
		counter = binary("+", counter, integer(1))
	}
}
