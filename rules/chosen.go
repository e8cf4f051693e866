package rules

import "github.com/fencepost-dev/fencepost/program"

// chosen reports whether a condition that cannot be told lets threads through to a site, and it is no bound: it may choose
// a single thread.
func (m *sample) chosen(s *site) bool {
	t := &thread{sample: m, rounds: map[*loop]int64{}}
	for _, g := range s.guards {
		if !g.built && !g.elect && !m.fn.together[g.node] && t.open(term{g.raw, g.in}, s.loops, 0) && !(s.anywhere() && scattered(term{g.raw, g.in})) {
			return true
		}
	}
	return false
}

func (t *thread) open(x term, loops []*loop, depth int) bool {
	if b, ok := x.x.(*program.Binary); ok && depth < maxFold {
		switch b.Op {
		case "&&", "||":
			return t.open(term{b.X, x.in}, loops, depth+1) || t.open(term{b.Y, x.in}, loops, depth+1)
		case "<", "<=", ">", ">=":
			return false
		}
	}
	t.steps = 0
	return !t.eval(x, loops, 0).known && !uniformIn(x, 0)
}
