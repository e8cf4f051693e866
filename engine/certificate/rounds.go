package certificate

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// Rounds is why what the bounds show of an instance holds in all with more periods of the rounds of an unknown, put in behind the
// ones that are there twice. The argument is that of explore.Every. What it needs is looked at here: that the two copies of a
// period are alike; that there is an execution through the cuts, where everyone is about to begin a copy, on which a copy
// leaves the objects as it finds them; and that nobody gets beyond both copies while something before the second is held, but
// those who can go round on their own.
type Rounds struct {
	Unknown string
	Period  int
	Fixed   [][]int  // by class without loops of the unknown, and region: the location of its threads in the cuts
	Play    [][]Step // to each cut in turn: of each region, before its first copy, its second, and what comes after
	Alone   []Alone
}

// Step is N threads of a class that execute the operation at Op, or as many operations issued there that complete.
type Step struct {
	Class, Op, N int
	Completion   bool
}

// Alone is classes that can go round while all others stay before a region.
type Alone struct {
	Region  int
	Classes []int
	Play    [2][]Step // to the cut before it, and then to where they begin the second copy
}

// copies is the places of two copies of a period: where the first begins, the second, and what comes after.
type copies [3]int

// rounds is Rounds that are being checked.
type rounds struct {
	*Rounds
	p       *protocol.Protocol
	regions int
	heads   [][]copies // by class and region; none for a class without loops
}

// newRounds finds the copies and plays through the cuts.
func newRounds(p *protocol.Protocol, r *Rounds) (*rounds, error) {
	x := &rounds{Rounds: r, p: p, heads: make([][]copies, len(p.Classes))}
	if r.Period < 1 || len(r.Fixed) != len(p.Classes) {
		return nil, errors.New("the rounds are not of this protocol")
	}
	for c := range p.Classes {
		end := 0
		for _, l := range p.Loops { // those of a class are in order
			if l.Class != c || l.Unknown != r.Unknown {
				continue
			}
			if l.Lead < 0 || l.Lead+2*r.Period >= len(l.Heads) || l.Heads[0] < end {
				return nil, fmt.Errorf("%s does not go round its loops often enough, or one of them stands in another", p.Classes[c].Name)
			}
			end = l.Heads[len(l.Heads)-1]
			h := copies{l.Heads[l.Lead], l.Heads[l.Lead+r.Period], l.Heads[l.Lead+2*r.Period]}
			if h[0] == h[2] {
				continue
			}
			if !same(&p.Classes[c], h) {
				return nil, fmt.Errorf("the rounds of %s differ", p.Classes[c].Name)
			}
			x.heads[c] = append(x.heads[c], h)
		}
	}
	for c, h := range x.heads {
		if len(h) > 0 && x.regions > 0 && len(h) != x.regions {
			return nil, fmt.Errorf("%s goes round %d loops, others %d", p.Classes[c].Name, len(h), x.regions)
		}
		x.regions = max(x.regions, len(h))
	}
	for c, h := range x.heads {
		if h == nil && len(r.Fixed[c]) != x.regions {
			return nil, fmt.Errorf("it is not said where %s is in the cuts", p.Classes[c].Name)
		}
	}
	return x, x.cuts()
}

// same reports whether two copies do the same.
func same(c *protocol.Class, h copies) bool {
	n := h[1] - h[0]
	if h[2]-h[1] != n || h[0] < 0 || h[2] > len(c.Ops) {
		return false
	}
	for l := h[0]; l < h[1]; l++ {
		a, b := c.Ops[l], c.Ops[l+n]
		if !slices.EqualFunc(a.Drains, b.Drains, func(x, y int) bool { return x+n == y }) {
			return false
		}
		b.Drains, b.Site, b.Behind = a.Drains, a.Site, a.Behind
		if !a.Equal(&b) || !slices.EqualFunc(c.Blocks[l], c.Blocks[l+n], protocol.Access.Equal) {
			return false
		}
	}
	return true
}

// location is where the threads of a class are in a cut.
func (x *rounds) location(c, region, copy int) int {
	if x.heads[c] != nil {
		return x.heads[c][region][copy]
	}
	return x.Fixed[c][region]
}

// cuts plays through all of them, and sees that a copy leaves the objects as it finds them.
func (x *rounds) cuts() error {
	m := protocol.NewMachine(x.p)
	s := m.Start()
	if len(x.Play) != 3*x.regions {
		return errors.New("the way through the cuts is not there")
	}
	for r := range x.regions {
		var before protocol.State
		for copy := range 3 {
			if err := play(m, s, x.Play[3*r+copy]); err != nil {
				return err
			}
			if err := x.stand(m, s, func(c int) int { return x.location(c, r, copy) }); err != nil {
				return err
			}
			if copy == 1 && !m.Alike(before, s) {
				return fmt.Errorf("a round of %s leaves the objects otherwise than it finds them", x.Unknown)
			}
			before = slices.Clone(s)
		}
	}
	return nil
}

// play takes steps of the real semantics.
func play(m *protocol.Machine, s protocol.State, steps []Step) error {
	for _, st := range steps {
		if st.Class < 0 || st.Class >= len(m.P.Classes) || st.Op < 0 || st.Op >= len(m.P.Classes[st.Class].Ops) || st.N < 1 {
			return errors.New("a step is none")
		}
		ok := false
		switch {
		case st.Completion:
			ok = m.Flying(s, st.Class, st.Op) >= st.N && m.Complete(s, st.Class, st.Op, st.N)
		case m.At(s, st.Class, st.Op) >= st.N && m.Enabled(s, st.Class, st.Op):
			ok = m.Step(s, st.Class, st.Op, st.N)
		}
		if !ok {
			return fmt.Errorf("%s cannot take a step at %d", m.P.Classes[st.Class].Name, st.Op)
		}
	}
	return nil
}

// stand reports why not all threads are where they should be with nothing in flight.
func (x *rounds) stand(m *protocol.Machine, s protocol.State, at func(c int) int) error {
	for c := range x.p.Classes {
		if m.At(s, c, at(c)) != x.p.Classes[c].Count {
			return fmt.Errorf("%s is not at location %d where a copy begins", x.p.Classes[c].Name, at(c))
		}
	}
	for i, slot := range m.Slots {
		if slot.Where == protocol.InFlight && s[i] > 0 {
			return fmt.Errorf("something of %s is in flight where a copy begins", x.p.Classes[slot.Class].Name)
		}
	}
	return nil
}

// region is the one whose second copy is not begun with something held at l of class c; the number of regions where each is.
func (x *rounds) region(c, l int) int {
	for r := range x.regions {
		if x.heads[c] != nil && l < x.heads[c][r][1] || x.heads[c] == nil && l < x.Fixed[c][r] {
			return r
		}
	}
	return x.regions
}

// within reports who gets beyond both copies of a region, or of a later one, within a bound.
func (x *rounds) within(b *setting, region int) error {
	for r := region; r < x.regions; r++ {
		var ahead []int
		for c, h := range x.heads {
			if h != nil && b.anyone(c, at(h[r][2])) {
				ahead = append(ahead, c)
			}
		}
		if len(ahead) == 0 {
			return nil
		}
		if err := x.alone(r, ahead); err != nil {
			return fmt.Errorf("%s may get far ahead of others in the rounds of %s: %w", x.p.Classes[ahead[0]].Name, x.Unknown, err)
		}
	}
	return nil
}

// alone reports why classes cannot go round a region while all others stay before it.
func (x *rounds) alone(region int, classes []int) error {
	i := slices.IndexFunc(x.Alone, func(a Alone) bool { return a.Region == region && slices.Equal(a.Classes, classes) })
	if i < 0 {
		return errors.New("it is not shown that they go round on their own")
	}
	m := protocol.NewMachine(x.p)
	s := m.Start()
	where := 0
	stand := func(c int) int {
		if slices.Contains(classes, c) {
			return x.location(c, region, where)
		}
		return x.location(c, region, 0)
	}
	var before protocol.State
	for ; where < 2; where++ {
		before = slices.Clone(s)
		if err := play(m, s, x.Alone[i].Play[where]); err != nil {
			return err
		}
		if err := x.stand(m, s, stand); err != nil {
			return err
		}
	}
	if !m.Alike(before, s) {
		return errors.New("they leave the objects otherwise than they find them")
	}
	return nil
}

// again reports whether what waited says of a wait in the first copy of a region is so of that in the second, and so in all that follow.
func (f *frozen) again(c, l int) bool {
	for _, x := range f.rounds {
		for _, h := range x.heads[c] {
			if n := h[1] - h[0]; h[0] <= l && l < h[1] && !f.waited(c, l+n) {
				return false
			}
		}
	}
	return true
}

// more looks at all bounds once more, for instances with more rounds.
func (f *frozen) more() error {
	for _, x := range f.rounds {
		for h, b := range f.bounds {
			if err := x.within(b, x.region(h.Class, h.Location)); err != nil {
				return err
			}
		}
		for limit, bound := range f.Capped {
			cap := limit
			b := &setting{system: f.system, Bound: bound, cap: &cap}
			if err := b.check(); err != nil {
				return err
			}
			r := x.regions
			for c := range f.p.Classes {
				for _, l := range f.waits[c][cap.Mbar] {
					if f.canon.WaitPhase(c, l) >= cap.Phase {
						r = min(r, x.region(c, l))
					}
				}
			}
			if err := x.within(b, r); err != nil {
				return err
			}
		}
	}
	return nil
}
