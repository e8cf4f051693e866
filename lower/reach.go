package lower

import (
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/lower/combination"
	"github.com/fencepost-dev/fencepost/lower/iteration"
	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// A counter that is compared with a number does something else from that round on: i == 100, i < 7. Where it never gets
// there in the few rounds of every combination, loops go round as often as the number says, one more and a few more. Which numbers these are shows while the kernel is evaluated, in whichever function or
// expression they stand: one side changes from one evaluation by the same threads to the next, the other does not, and the answer
// has never been another.

// asked is what became of one comparison.
type asked struct {
	with    int64          // the side that does not change
	at      int64          // the round in which the other gets there, if it goes on as it does
	counts  bool           // the other does
	step    int64          // by which it went on last
	over    int64          // in so many rounds
	met     map[int64]bool // what it has been
	uneven  bool           // it goes on at different paces, to what it has not been: when it gets there is not known
	answers [2]bool
	decides *program.If    // what synchronizes in an arm of this
	loops   []program.Stmt // around it

	test   *value.Expr   // the comparison, where unknowns of the launch are compared and not a counter
	varies bool          // it is one of different things each time
	each   []*value.Expr // these
	other  *setting      // with which the answer is the one that has not been met
	goes   [2]going      // how often loops go round with each answer
	ends   program.Stmt  // the loop whose end the test is a part of (bends)
	site   protocol.Site
}

// undecided reports whether the other answer has not been met, though the counter may get there.
func (q *asked) undecided() bool { return q.counts && q.answers[0] != q.answers[1] }

// sides is what a group of threads last compared in a place.
type sides struct{ x, y, round int64 }

const (
	farthest    = iteration.Farthest
	maxReach    = 4 // numbers that loops are to reach
	maxExtended = 4 // how often a test behind another is looked for
)

// compares notes a comparison of two numbers of the running kernel.
func (m *machine) compares(e program.Node, op string, x, y value.Value) {
	if m.host || m.watch != nil {
		return
	}
	a, ok := value.Untyped(x).(value.Int)
	b, is := value.Untyped(y).(value.Int)
	if !ok || !is {
		m.tests(e, op, x, y)
		return
	}
	now := sides{int64(a), int64(b), m.freeRound()}
	answer, equal := false, false // equal: where both sides are
	switch op {
	case "==", "!=", "<", "<=", ">", ">=":
		n, _ := value.Binary(op, a, b).(value.Int)
		same, _ := value.Binary(op, a, a).(value.Int)
		answer, equal = n != 0, same != 0
	default:
		return
	}
	q := m.question(e)
	q.answers[value.Bool(answer)] = true
	if m.compared == nil {
		m.compared = map[program.Node]sides{}
	}
	last, again := m.compared[e]
	switch {
	case !again:
	case last.x == now.x && last.y == now.y:
		return // since the round of the last change
	case last.y == now.y:
		q.goesOn(last.x, now.x, now.y, last.round, now.round, answer == equal)
	case last.x == now.x:
		q.goesOn(last.y, now.y, now.x, last.round, now.round, answer == equal)
	}
	m.compared[e] = now
}

// maxMet bounds what is remembered of a counter.
const maxMet = 1 << 10

// goesOn notes that a side went on between two rounds, and the round in which it gets to the other side, a number, if it goes on so; the
// number itself where it does not go that way, as it may begin anew. Where the answer is still the same then, it is another one in the round behind.
func (q *asked) goesOn(from, to, number, before, now int64, same bool) {
	step, over := to-from, max(1, now-before)
	if q.met == nil {
		q.met = map[int64]bool{from: true}
	}
	q.uneven = q.uneven || q.counts && step*q.over != q.step*over && !q.met[to]
	if len(q.met) < maxMet {
		q.met[to] = true
	}
	at, arrives := iteration.Arrival(from, to, number, before, now)
	if !arrives {
		at = number
	} else if same {
		at++
	}
	q.counts, q.step, q.over, q.with, q.at = true, step, over, number, at
}

// freeRound is the round, from 0, of the innermost loop that goes round as often as an unknown says; below 0 where there is none.
func (m *machine) freeRound() int64 {
	for i := len(m.around) - 1; i >= 0; i-- {
		if l := m.around[i]; l.free {
			return l.round - 1
		}
	}
	return -1
}

// asksTruth notes a number of the running kernel that is asked whether it is zero: if (left).
func (m *machine) asksTruth(n program.Node, v value.Int) {
	switch e := n.(type) {
	case *program.Name, *program.Attr, *program.Index:
	case *program.Binary:
		if value.IsComparison(e.Op) || e.Op == "&&" || e.Op == "||" {
			return
		}
	default:
		return
	}
	if m.freeRound() >= 0 {
		m.compares(truthOfNode{n}, "!=", v, value.Int(0))
	}
}

// truthOfNode is the place of a number that is asked whether it is zero.
type truthOfNode struct{ program.Node }

// question is what became of a comparison so far.
func (m *machine) question(e program.Node) *asked {
	l := m.in.low
	q := l.compared[e]
	if q == nil {
		q = &asked{site: m.bare(e)}
		l.compared[e] = q
		for _, r := range m.around {
			q.loops = append(q.loops, r.loop)
		}
		if st := m.deciding; st != nil && (m.syncs(st) || syntax.Leaves(st.Then) || syntax.Leaves(st.Else)) {
			q.decides = st
		}
	}
	return q
}

// beyondReach lists the rounds in which counters get to numbers that they did not get beyond. The last of the few rounds tried is one
// of them: 2 < i is true in the next one.
func (l *lowering) beyondReach() []int64 {
	var out []int64
	for _, q := range l.compared {
		if q.undecided() && q.at+1 >= least && q.at+2 <= farthest && !slices.Contains(out, q.at) {
			out = append(out, q.at)
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
	if reach := combination.Including(slices.Clone(l.reach), l.beyondReach()...); len(reach) > len(l.reach) && len(l.reach) < maxReach {
		l.reach, farther = reach[:min(len(reach), maxReach)], true
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
		try(w.wanted(q))
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
		out = combination.Including(out, n*scale)
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
			out = combination.Including(out, v, v*scale)
		}
	}
	return out
}
