package lower

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/program"
)

// tested is a loop with a test of each round.
type tested struct {
	of         program.Stmt
	cond       program.Expr
	body, post []program.Stmt
	do         bool // the test comes after the body
	counts     bool // where the test is no test of each round, the number of rounds is an unknown
}

// repeat runs a loop by rounds. It answers whether its test ended it.
func (w *watch) repeat(l tested, s *scope) (ended bool, c control, v value) {
	t, m := w.enter(l.of, w.loops[l.of]), w.m
	var counter value = integer(0)
	var counted *symExpr // the unknown that says how many rounds there are, where the test is no test of each
	last := ""
	for trip := 0; ; trip++ {
		w.at(l.of, s)
		w.begins(t, &counter, fmt.Sprint(l.do && trip == 0, counted != nil, last))
		if l.cond != nil && (!l.do || trip > 0) {
			test := m.eval(l.cond, s)
			if sym, ok := test.(symbol); ok && counted == nil && l.counts && !m.in.low.modelled(sym.expr) {
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
			if !m.truth(test, l.cond) {
				w.leaves(t)
				return true, next, nil
			}
		}
		inner := s

		if c, v := m.run(l.body, inner); c == breaks || c == returns {
			w.leaves(t)
			if c == breaks {
				c, v = next, nil
			}
			return false, c, v
		}
		m.run(nil, s)
		counter = binary("+", counter, integer(1))
	}
}
