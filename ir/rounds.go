package ir

import (
	"maps"
	"slices"
)

// EnoughWaits is how often a thread has to wait for an mbarrier that others go round with: the first wait may be for the phase before the first one, which
// is over at once (PTX ISA 9.7.13.15.16), and behind it come four phases, so that each parity was used twice.
const EnoughWaits = 5

// EnoughMeetings is how often a thread has to come to a barrier of the CTA in a loop: what one round does behind it meets what the next one does before it.
const EnoughMeetings = 2

// mostRepeats bounds what is looked at to tell which loops the input decides: those that are not reached count as if it did, and functions that they call as if nobody
// waited there.
const mostRepeats = 1 << 23

// Repeated is an instruction in a loop that goes round as often as the kernel's input says.
type Repeated struct {
	Loop   *Place   // where the loop is left
	Inner  int      // the innermost loop around it, by number
	Inputs []string // that say how often, as far as they are none of memory
	Memory bool     // what stands in memory says it, too
	counts bool     // a number that goes on from round to round does
}

// Repeats lists the waits for mbarriers, for groups of asynchronous copies, and at barriers of the CTA that each round comes to, that are in loops whose number of
// rounds is not compiled in, by place: the outermost of these loops. The kernel is one that was reduced.
func (c *Kernel) Repeats() map[uint32]Repeated {
	return c.repeats(func(in *Inst) bool { return in.Op == MbarTest || in.Op == GroupWait || in.Op == BarrierCTA }, func(r Repeated) bool { return len(r.Inputs) > 0 || r.Memory })
}

// RepeatedAccesses lists the accesses of shared memory in such loops, in the same way.
func (c *Kernel) RepeatedAccesses() map[uint32]Repeated {
	return c.repeats(func(in *Inst) bool { return in.accesses() && in.Space == Shared }, func(r Repeated) bool { return len(r.Inputs) > 0 || r.Memory })
}

// CountedWaits lists them of loops that a count ends, one that is compiled in as well: a template's may be another with another launch. A loop that goes
// round until a phase is over is none.
func (c *Kernel) CountedWaits() map[uint32]Repeated {
	return c.repeats(func(in *Inst) bool { return in.Op == MbarTest }, func(r Repeated) bool { return len(r.Inputs) > 0 || r.Memory || r.counts })
}

func (c *Kernel) repeats(waits func(*Inst) bool, count func(Repeated) bool) map[uint32]Repeated {
	out := map[uint32]Repeated{}
	if !slices.ContainsFunc(c.Insts, func(in Inst) bool { return waits(&in) }) {
		return out
	}
	fl, left := c.Flow(), mostRepeats
	polls := c.Polls()
	inner := map[uint32]int{}
	for n, l := range c.Loops() { // outer ones first
		var todo []int32
		for _, k := range c.within(l, &left) {
			in := &c.Insts[k]
			if waits(in) {
				inner[in.Place] = n
			}
			if _, met := out[in.Place]; !met && waits(in) && (in.Op != BarrierCTA || !l.Has(fl.BlockOf(k)) || l.always(fl, fl.BlockOf(k))) {
				todo = append(todo, k)
			}
		}
		if len(todo) == 0 {
			continue
		}
		for _, b := range l.Blocks {
			last := fl.Last(b)
			in := &c.Insts[last]
			if in.Guard < 0 || !slices.ContainsFunc(fl.Next(b), func(next int32) bool { return !l.Has(next) }) {
				continue
			}
			r := c.bounds(l, in.Guard, polls, &left)
			if !count(r) {
				continue
			}
			r.Loop = &c.Places[in.Place]
			for _, k := range todo {
				if _, met := out[c.Insts[k].Place]; !met {
					out[c.Insts[k].Place] = r
				}
			}
			break
		}
	}
	for place, r := range out {
		r.Inner = inner[place]
		out[place] = r
	}
	return out
}

// within lists the instructions of a loop and of the functions that it calls.
func (c *Kernel) within(l *Loop, left *int) (out []int32) {
	fl := c.Flow()
	met := map[int32]bool{}
	var called []int32
	put := func(k int32) {
		out = append(out, k)
		if in := &c.Insts[k]; in.Op == Call && !met[in.Target] {
			met[in.Target] = true
			called = append(called, in.Target)
		}
	}
	for _, b := range l.Blocks {
		for k := fl.Start(b); k <= fl.Last(b); k++ {
			put(k)
		}
	}
	for *left -= len(out); len(called) > 0 && *left > 0; {
		f := c.FunctionOf(called[0])
		called = called[1:]
		for k := f[0]; k < f[1]; k++ {
			put(k)
		}
		*left -= int(f[1] - f[0])
	}
	return out
}

// bounds says what decides the rounds of a loop that is left by a predicate. Whether a phase is over, and what is waited for, says when it ends and not how often
// it goes round. Where a value is set on some ways through the loop only, what decides between these ways counts as well.
func (c *Kernel) bounds(l *Loop, exit int32, polls map[int32]bool, left *int) (r Repeated) {
	d, fl, inputs := definitions.of(c), c.Flow(), c.inputs()
	registers, predicates := map[int32]bool{}, map[int32]bool{exit: true}
	todo, names := slices.Clone(d.predicates[exit]), map[string]bool{}
	met, decided := map[int32]bool{}, map[int32]bool{} // instructions, blocks
	test := func(p int32) {
		if !predicates[p] {
			predicates[p] = true
			todo = append(todo, d.predicates[p]...)
		}
	}
	for len(todo) > 0 {
		if *left--; *left < 0 {
			r.Memory = true
			break
		}
		k := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		in := &c.Insts[k]
		if met[k] || in.Op == MbarTest || polls[k] {
			continue
		}
		met[k] = true
		r.Memory = r.Memory || in.Op == Load || in.Op == Atomic || in.Op == Havoc
		if in.Guard >= 0 {
			test(in.Guard)
		}
		r.counts = r.counts || (in.Op == Add || in.Op == Sub || in.Op == Mul || in.Op == Shl || in.Op == Shr) && l.Has(fl.BlockOf(k))
		from, tests := in.OperandsOf()
		for _, p := range tests {
			test(p)
		}
		for _, reg := range from {
			if name, is := inputs[reg]; is {
				names[name] = true
			}
			if !registers[reg] {
				registers[reg] = true
				todo = append(todo, d.registers[reg]...)
			}
		}
		b := fl.BlockOf(k)
		if decided[b] || !l.Has(b) || l.always(fl, b) {
			continue
		}
		decided[b] = true
		*left -= len(l.Blocks)
		for _, before := range l.Blocks {
			if way := &c.Insts[fl.Last(before)]; before != b && way.Guard >= 0 && fl.Dominates(before, b) && !slices.ContainsFunc(fl.Next(before), func(n int32) bool { return !l.Has(n) }) {
				test(way.Guard)
			}
		}
	}
	r.Inputs = slices.Sorted(maps.Keys(names))
	return r
}

// Rounds is how often threads that are followed wait for each mbarrier, and at each barrier of the CTA, none more often than is asked for, all together: the more,
// the better their phases are used up.
func (c *Kernel) Rounds(g Premise) (rounds int) {
	if len(c.Insts) > maxFollowed {
		return 0
	}
	p := c.follow(nil, g)
	most := p.left
	rounds = p.with(0, false).turns
	if g.Steps != nil {
		*g.Steps -= most - p.left
	}
	return rounds
}
