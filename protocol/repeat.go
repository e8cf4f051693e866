package protocol

import (
	"maps"
	"slices"
	"strconv"
)

// Loop is the rounds that the threads of a class make in one execution of a loop of which an unknown says the number.
// The locations of a loop in a round of another lie between two neighbours of the other's Heads, and it is listed after the
// other: those of a class are in the order in which they begin.
type Loop struct {
	Unknown string // a key of Values
	Class   int
	Heads   []int // the location at which each round begins and, last, the one at which the loop is left
	Lead    int   // the first round of those that repeat
}

// Repeat says how a protocol grows with an unknown, whatever its value: for every v ≥ Least, each Loop of Unknown in the
// instance with v for it and the other Values as here has the rounds Lead to Lead+Period-1, those after them, if there are
// as many, do the same, and the instance with v+Period is this one with a copy of these rounds put in behind them. The
// Repeats of an instance hold together: of whatever Grow makes of it for one, those for the others are true.
type Repeat struct {
	Unknown string
	Period  int // rounds; 0 in an instance with less than Least, where it does not show
	Least   int
}

// Grow is the instance in which each loop of an unknown goes round so many times more, a multiple of the unknown's period.
// It shares what it can with p; nil if the loops are too short.
func (p *Protocol) Grow(unknown string, rounds int) *Protocol {
	q := *p
	q.Values = maps.Clone(p.Values)
	v, err := strconv.Atoi(p.Values[unknown])
	if err != nil {
		return nil
	}
	q.Values[unknown] = strconv.Itoa(v + rounds)
	q.Classes, q.Loops = slices.Clone(p.Classes), nil
	var premise *Protocol
	if p.Premise != nil {
		twin := *p.Premise
		twin.Classes = slices.Clone(twin.Classes)
		premise, q.Premise = &twin, &twin
	}
	for c := range q.Classes {
		var own []Loop
		for _, l := range p.Loops {
			if l.Class == c {
				own = append(own, l)
			}
		}
		for i, end := len(own)-1, 1<<62; i >= 0; i-- {
			l := own[i]
			if l.Unknown != unknown {
				continue
			}
			if l.Lead+rounds >= len(l.Heads) || l.Heads[len(l.Heads)-1] > end {
				return nil // too short, or another of the unknown in it
			}
			end = l.Heads[0]
			put := Range{l.Heads[l.Lead], l.Heads[l.Lead+rounds]}
			q.Classes[c].repeat(put)
			if premise != nil {
				premise.Classes[c].repeat(put)
			}
			own = repeatLoops(own, i, rounds, put)
		}
		q.Loops = append(q.Loops, own...)
	}
	return &q
}

// repeat puts a copy of some operations, and of the accesses before each of them, behind them.
func (c *Class) repeat(r Range) {
	n := r.Hi - r.Lo
	ops := make([]Op, 0, len(c.Ops)+n)
	ops = append(append(append(ops, c.Ops[:r.Hi]...), c.Ops[r.Lo:r.Hi]...), c.Ops[r.Hi:]...)
	for l := r.Hi; l < len(ops); l++ {
		if len(ops[l].Drains) == 0 {
			continue
		}
		drains := slices.Clone(ops[l].Drains)
		for i, d := range drains {
			// What is awaited is as far before: in the copy always, behind it unless that was before the rounds began.
			if l < r.Hi+n || d >= r.Lo {
				drains[i] = d + n
			}
		}
		ops[l].Drains = drains
	}
	blocks := make([][]Access, 0, len(c.Blocks)+n)
	c.Blocks = append(append(append(blocks, c.Blocks[:r.Hi]...), c.Blocks[r.Lo:r.Hi]...), c.Blocks[r.Hi:]...)
	c.Ops = ops
}

// repeatLoops is where the loops of a class are when a copy of some rounds of one of them is put in behind these.
func repeatLoops(loops []Loop, grown, rounds int, r Range) (out []Loop) {
	n := r.Hi - r.Lo
	var copied []Loop // the loops in those rounds, which follow each other, are there again
	for i, l := range loops {
		moved := Loop{Unknown: l.Unknown, Class: l.Class, Lead: l.Lead}
		inside := i > grown && l.Heads[0] >= r.Lo && l.Heads[0] < r.Hi
		if i == grown {
			moved.Heads = slices.Clone(l.Heads[:l.Lead+rounds])
			l.Heads = l.Heads[l.Lead:]
		}
		for _, h := range l.Heads {
			if inside || i == grown || h >= r.Hi {
				h += n
			}
			moved.Heads = append(moved.Heads, h)
		}
		if inside {
			out, copied = append(out, l), append(copied, moved)
			continue
		}
		out, copied = append(append(out, copied...), moved), nil
	}
	return append(out, copied...)
}

// Alike reports whether two states, in which the threads of each class stand together and nothing is in flight, leave the
// same to happen to threads with the same operations before them: objects differ in the number of phases and generations
// that are over, by an even number of an mbarrier's, and in nothing else.
func (m *Machine) Alike(a, b State) bool {
	for o := range m.P.Mbars {
		x, y := a[m.mbar+mbarFields*o:], b[m.mbar+mbarFields*o:]
		if (x[fieldPhase]-y[fieldPhase])&1 != 0 {
			return false
		}
		for field := range mbarFields {
			if field != fieldPhase && x[field] != y[field] {
				return false
			}
		}
	}
	for i := m.named; i < m.size; i++ {
		if i != m.cluster && a[i] != b[i] {
			return false
		}
	}
	for c := range m.P.Classes {
		n := len(m.P.Classes[c].Ops)
		x, y := m.stand(a, c), m.stand(b, c)
		if x < 0 || y < 0 || (x == n) != (y == n) {
			return false
		}
		if x < n && m.arrives[c][y]-m.arrives[c][x] != b[m.cluster]-a[m.cluster] {
			return false
		}
	}
	return true
}

// stand is the location at which all threads of a class are, -1 if they are not at one.
func (m *Machine) stand(s State, c int) int {
	for l := range len(m.P.Classes[c].Ops) + 1 {
		if n := s[m.at[c]+l]; n > 0 {
			if n < m.P.Classes[c].Count {
				return -1
			}
			return l
		}
	}
	return -1
}
