package lower

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/iteration"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// A loop that uses its buffers by turns does the same again after some rounds, its period. A race of its third round with its fourth
// is met by no three rounds. What comes back shows in two ways while the kernel is evaluated: an operation takes what
// changes from round to round modulo a number (i % 3, i & 1, i / 4), or what is made at a place in each round is what it has been
// before (s ^= 1, s = 1 - s, if (++s == 2) s = 0, variables that are swapped).
//
// Let all of it come back after P rounds. What a round does to another one depends, but for what the loop begins with, on their
// distance and on the first of them modulo P. In 2P+1 rounds, the first of which may be special, each of the P kinds of
// rounds comes before one of its own kind, which uses its buffer again, and before all that lie between. 2P+2 rounds end the loop in
// another place of its turn. In P+2 rounds, each kind comes before the next one: where a loop synchronizes in each of its rounds,
// no further ones meet. That is no proof, as one for every number of rounds is (family.go): a loop may come back only after more
// than is seen here.

// recurring is what is known of what comes back in the loops of a kernel.
type recurring struct {
	cycles     map[program.Stmt]map[program.Node]cycle // by loop and place
	ends       map[program.Stmt]map[string]bool        // the unknowns that say how often a loop goes round
	firsts     map[program.Stmt]*value.Expr            // what was asked first of the end of a loop
	odd        map[program.Stmt]int64                  // the last round in which a test came out otherwise than in the one before it
	unlike     map[program.Stmt]bool                   // loops with a test that is of different things in each round
	conditions map[program.Node]*condition             // what became of those of what changes from round to round
	nests      map[string]nest                         // by the unknown that says how often loops within each other go round
}

// nest is loops within each other, all of which go round as often as one unknown says.
type nest struct {
	loops   int
	at      protocol.Site // the innermost
	crowded bool          // values of the unknown are not tried, as these would be too many rounds
}

// crowds reports whether so many rounds of each of the loops are too many.
func (n nest) crowds(rounds int64) bool {
	all := int64(1)
	for range n.loops {
		if all *= max(1, rounds); all > mostNested {
			return n.loops > 1
		}
	}
	return false
}

// cycle is after how many rounds a value comes back, and how many of its values show that; none where these do not come back and do
// not go on by steps, either. It is unsettled if they did in the last rounds what they had not done before.
type cycle struct {
	period, seen int
	unsettled    bool
	at           protocol.Site
}

func newRecurring() recurring {
	return recurring{map[program.Stmt]map[program.Node]cycle{}, map[program.Stmt]map[string]bool{}, map[program.Stmt]*value.Expr{}, map[program.Stmt]int64{}, map[program.Stmt]bool{}, map[program.Node]*condition{}, map[string]nest{}}
}

// clone is what rounds asks for, as of now.
func (r *recurring) clone() recurring {
	out := newRecurring()
	for loop, cycles := range r.cycles {
		out.cycles[loop] = maps.Clone(cycles)
	}
	for loop, keys := range r.ends {
		out.ends[loop] = maps.Clone(keys)
	}
	out.firsts, out.odd, out.unlike = maps.Clone(r.firsts), maps.Clone(r.odd), maps.Clone(r.unlike)
	return out
}

const (
	twiceThrough = 8    // rounds of a period at most for 2P+1: of a longer one every two rounds meet that follow each other, with P+2
	acrossLanes  = 8    // what an index of threads that moves on is taken modulo at most, to be a choice of buffers and not of elements
	looked       = 8    // rounds in which to see when what does not go on by steps comes back
	mostNested   = 1300 // rounds of loops within each other, all together: 36 of each of two, as for what lanes of a warp come back to
	beyond       = 1 << 30
)

// comesRound reports whether what comes back in loops is looked for.
func (m *machine) comesRound() bool {
	return !m.host && m.watch == nil && !m.mod.Library && slices.ContainsFunc(m.around, func(l *running) bool { return l.free })
}

// recurs notes a value that was made at a place, and what comes back there.
func (m *machine) recurs(n program.Node, v value.Value) {
	if !m.comesRound() {
		return
	}
	v = value.Untyped(v)
	switch v.(type) {
	case value.Int, value.Lanes, value.Pointer, *cute.Tensor:
	default:
		return
	}
	for _, l := range m.around {
		if s := l.instant(n, v); s != nil && s.Moving > 0 {
			if p := s.Period(); p > 0 || !s.Steps() || m.in.low.cycles[l.loop][n].unsettled {
				c := cycle{period: p, seen: s.Seen()}
				c.unsettled = p == 0 && value.IsNumber(v) && c.seen >= looked && !s.Settled()
				m.comesBack(l.loop, n, c)
			}
		}
	}
}

// modulo notes an operation of which one side changes from round to round of a loop and the other is a constant.
func (m *machine) modulo(op string, x, y value.Value, n program.Node) {
	switch op {
	case "%", "/", "//", "&", ">>":
	default:
		return
	}
	m.bitwise(x, y, n)
	if !m.comesRound() {
		return
	}
	x, y = value.Untyped(x), value.Untyped(y)
	c, ok := y.(value.Int)
	if !ok && op == "&" {
		x, y = y, x
		c, ok = y.(value.Int)
	}
	by := 1
	switch {
	case !ok || c < 1:
		return
	case op == "&":
		for by <= int(c) && by < beyond {
			by *= 2
		}
	case op == ">>":
		by = 1 << min(c, 30)
	default:
		by = int(min(c, beyond))
	}
	if by < 2 {
		return
	}
	switch x.(type) {
	case value.Int, value.Symbol:
	case value.Lanes:
		if by > acrossLanes {
			return
		}
	default:
		return
	}
	for _, l := range m.around {
		if s := l.instant(operand{n}, x); s != nil && s.Moving > 0 {
			c := cycle{period: by * s.Moving, seen: s.Seen()}
			if p := s.Period(); p > 0 && by > farthest { // what comes back is no larger than it was
				c.period = p
			}
			m.comesBack(l.loop, operand{n}, c)
		}
	}
}

// comesBack notes that something of a loop comes back after some rounds.
func (m *machine) comesBack(loop program.Stmt, n program.Node, c cycle) {
	r := &m.in.low.recurring
	if r.cycles[loop] == nil {
		r.cycles[loop] = map[program.Node]cycle{}
	}
	old, known := r.cycles[loop][n]
	if known && c.seen < old.seen {
		return
	}
	if c.at = old.at; !known {
		c.at = m.bare(n)
	}
	r.cycles[loop][n] = c
}

// endsWith notes the unknowns that say how often the loop at hand goes round: its test is on them, or one of a branch that leaves it.
func (m *machine) endsWith(e *value.Expr) {
	if len(m.around) == 0 || m.host || m.watch != nil {
		return
	}
	l, r := m.around[len(m.around)-1], &m.in.low.recurring
	l.free = true
	if l.round <= 1 && r.firsts[l.loop] == nil {
		r.firsts[l.loop] = e
	}
	if r.ends[l.loop] == nil {
		r.ends[l.loop] = map[string]bool{}
	}
	for _, leaf := range value.Leaves(e, nil) {
		key, loops := leaf.String(), 0
		r.ends[l.loop][key] = true
		for _, around := range m.around {
			if r.ends[around.loop][key] {
				loops++
			}
		}
		if n := r.nests[key]; loops > n.loops {
			n.loops, n.at = loops, m.bare(l.loop)
			r.nests[key] = n
		}
	}
}

// operand is the place of what an operation is applied to.
type operand struct{ program.Node }

// instant notes what was made at a place in a round of a loop that goes round as often as an unknown says; of several in one round
// the first counts, as those of an inner loop begin anew in each. It is nil where there is nothing new.
func (l *running) instant(n program.Node, v value.Value) *iteration.Instants {
	if !l.free {
		return nil
	}
	s := l.made[n]
	if s == nil {
		if l.made == nil {
			l.made = map[program.Node]*iteration.Instants{}
		}
		l.made[n] = iteration.First(l.round, v)
		return nil
	}
	if !s.Note(l.round, v) {
		return nil
	}
	return s
}

// period is after how many rounds what comes back in a loop has done so, 1 where nothing does, and the shortest of what is left out
// because all of it together comes back after more rounds than are tried, 0 where nothing is; open is whether there may be more.
func (r *recurring) period(loop program.Stmt) (p, left int64, open bool) {
	var periods []int64
	for _, c := range r.cycles[loop] {
		if c.period == 0 {
			open = true
		} else {
			periods = append(periods, int64(c.period))
		}
	}
	slices.Sort(periods)
	p = 1
	for _, n := range periods {
		if both := p / value.Gcd(p, n) * n; both+3 <= farthest {
			p = both
		} else if left == 0 {
			left = n
		}
	}
	return p, left, open
}

// untriedRounds lists what loops do only after more rounds than are tried, where that shows: numbers that come back later or have not yet been
// seen to, and tests that come out otherwise later; those of unknowns apart, of which a proof for every number of rounds says nothing.
func (l *lowering) untriedRounds() (rounds, values []Opaque) {
	for loop := range l.cycles {
		_, left, _ := l.period(loop)
		for _, c := range l.cycles[loop] {
			switch {
			case c.unsettled:
				rounds = append(rounds, Opaque{c.at.Path, c.at.Line, limit.Rounds.Sayf("what this is worth has not come back after %d rounds, and no more are tried", c.seen)})
			case left > 0 && int64(c.period) >= left:
				rounds = append(rounds, Opaque{c.at.Path, c.at.Line, limit.Rounds.Says("this comes back, with the rest of the loop, only after more rounds than are tried")})
			}
		}
	}
	for _, n := range l.nests {
		if n.crowded {
			rounds = append(rounds, Opaque{n.at.Path, n.at.Line, limit.Rounds.Says("loops within each other go round too often together for all the rounds that would be tried of one")})
		}
	}
	for _, t := range l.oneWay() {
		o := Opaque{t.at.Path, t.at.Line, limit.Rounds.Says("this comes out one way only in the rounds that are tried")}
		switch {
		case l.compared[t.cond] != nil && l.compared[t.cond].counts && l.compared[t.cond].test == nil: // a counter and a number: below
		case t.unknown:
			values = append(values, o)
		default:
			rounds = append(rounds, o)
		}
	}
	for _, q := range l.compared {
		switch o := (Opaque{q.site.Path, q.site.Line, limit.Rounds.Says("this comparison comes out otherwise only after more rounds than are tried")}); {
		case q.varies && q.onesided():
			values = append(values, o)
		case q.undecided() && q.uneven && q.decides != nil && l.anyNumber(q.loops):
			rounds = append(rounds, o)
		case q.undecided() && q.at+1 >= least && !slices.Contains(l.reach, q.at) && l.anyNumber(q.loops):
			rounds = append(rounds, o)
		}
	}
	return inOrder(rounds), inOrder(values)
}

func inOrder(list []Opaque) []Opaque {
	slices.SortFunc(list, func(a, b Opaque) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), a.Line-b.Line, strings.Compare(a.Why.Text, b.Why.Text))
	})
	return slices.Compact(list)
}

// rounds are the numbers of rounds for loops whose end is worked out of an unknown. A ring of mbarriers comes round in as many as are
// tried for it, with its parities.
func (r *recurring) rounds(key string, ring int64) (out []int64) {
	for loop, keys := range r.ends {
		if !keys[key] {
			continue
		}
		p, _, open := r.period(loop)
		switch {
		case p < 2 || ring > 1 && p <= 2*ring:
		case p <= twiceThrough:
			out = append(out, 2*p+1, 2*p+2)
		default:
			out = append(out, p+2, p+3)
		}
		if open && ring < looked/2 {
			out = append(out, looked)
		}
		for _, c := range r.cycles[loop] {
			if c.unsettled {
				out = append(out, iteration.Remembered)
			}
		}
		if last := r.odd[loop]; last > 0 && last+3 <= farthest {
			if out = append(out, last+3); ring > 1 { // a stage that was left out shows when the ring comes back to it
				out = append(out, last+3+2*ring)
			}
		}
		if r.unlike[loop] {
			out = append(out, least+1, least+2, 2*least, 2*least+1)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
