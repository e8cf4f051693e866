package lower

import (
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/program"
)

// A counter that is compared with a number does something else from that round on: i == 100, i < 7. Where it never gets
// there in the few rounds of every combination, loops go round as often as the number says, one more and a few more. Which numbers these are shows while the kernel is evaluated, in whichever function or
// expression they stand: one side changes from one evaluation by the same threads to the next, the other does not, and the answer
// has never been another.

// asked is what became of one comparison.
type asked struct {
	with    int64 // the side that does not change
	counts  bool  // the other does
	answers [2]bool
	decides *program.If    // what synchronizes in an arm of this
	loops   []program.Stmt // around it

	test   *symExpr // the comparison, where unknowns of the launch are compared and not a counter
	varies bool     // it is one of different things each time
	other  *setting // with which the answer is the one that has not been met
	goes   [2]going // how often loops go round with each answer
}

// undecided reports whether the other answer has not been met, though the counter may get there.
func (q *asked) undecided() bool { return q.counts && q.answers[0] != q.answers[1] }

// sides is what a group of threads last compared in a place.
type sides struct{ x, y int64 }

const (
	farthest    = 600 // rounds
	maxReach    = 4   // numbers that loops are to reach
	maxExtended = 4   // how often a test behind another is looked for
)

// compares notes a comparison of two numbers of the running kernel.
func (m *machine) compares(e *program.Binary, x, y value) {
	if m.host || m.watch != nil {
		return
	}
	a, ok := untyped(x).(integer)
	b, is := untyped(y).(integer)
	if !ok || !is {
		m.tests(e, x, y)
		return
	}
	now := sides{int64(a), int64(b)}
	answer := false
	switch e.Op {
	case "==", "!=", "<", "<=", ">", ">=":
		n, _ := binary(e.Op, a, b).(integer)
		answer = n != 0
	default:
		return
	}
	q := m.question(e)
	q.answers[boolean(answer)] = true
	if m.compared == nil {
		m.compared = map[*program.Binary]sides{}
	}
	last, again := m.compared[e]
	m.compared[e] = now
	switch {
	case !again:
	case last.x != now.x && last.y == now.y:
		q.counts, q.with = true, now.y
	case last.y != now.y && last.x == now.x:
		q.counts, q.with = true, now.x
	}
}

// question is what became of a comparison so far.
func (m *machine) question(e *program.Binary) *asked {
	l := m.in.low
	q := l.compared[e]
	if q == nil {
		q = &asked{}
		l.compared[e] = q
		for _, r := range m.around {
			q.loops = append(q.loops, r.loop)
		}
		if st := m.deciding; st != nil && (m.syncs(st) || leaves(st.Then) || leaves(st.Else)) {
			q.decides = st
		}
	}
	return q
}

// beyondReach lists the numbers that counters did not get to.
func (l *lowering) beyondReach() []int64 {
	var out []int64
	for _, q := range l.compared {
		if q.undecided() && q.with >= 3 && q.with+2 <= farthest && !slices.Contains(out, q.with) {
			out = append(out, q.with)
		}
	}
	slices.Sort(out)
	return out[:min(len(out), maxReach)]
}

// reachFarther has loops go round as often as counters are compared with, if that is more than they did, and unknowns take
// the values for which tests come out another way, if there are the steps for it.
func (l *lowering) reachFarther(w *sweep) bool {
	if w.dirty || w.failed || l.brief || len(w.k.Opaque) > 0 || l.fuel < kernelFuel/2 || l.extended == maxExtended {
		return false
	}
	l.extended++
	farther := false
	if l.reach == nil {
		l.reach = l.beyondReach()
		farther = len(l.reach) > 0
	}
	was := l.gone
	l.gone = l.recurring.clone()
	for _, key := range w.order {
		farther = farther || !slices.Equal(was.rounds(key, w.depth), l.gone.rounds(key, w.depth))
	}
	tested := maps.Clone(l.tested)
	try := func(settings []setting) {
		for _, o := range settings {
			if w.allows(o) && !slices.Contains(tested[o.key], o.v) {
				tested[o.key], farther = append(slices.Clone(tested[o.key]), o.v), true
				slices.Sort(tested[o.key])
			}
		}
	}
	for _, q := range l.compared {
		try(q.wanted())
	}
	if !farther {
		try(w.joint())
	}
	l.tested = tested
	return farther
}

// reaching adds the numbers of rounds with which counters get as far as they are compared with.
func (w *sweep) reaching(key string, out []int64) []int64 {
	scale := max(1, w.l.scales[key])
	for _, n := range w.l.gone.rounds(key, w.depth) {
		out = including(out, n*scale)
	}
	if !w.l.rounds[key] {
		return out
	}
	for _, n := range w.l.reach {
		last := n + 2
		if w.depth > 1 { // what is done in that round to a stage of a ring shows when the ring comes back to it
			last = n + 1 + 2*w.depth + 1
		}
		for _, v := range []int64{n, n + 1, last} {
			out = including(out, v, v*scale)
		}
	}
	return out
}

// including adds the values that are not in a list.
func including(list []int64, values ...int64) []int64 {
	for _, v := range values {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}
