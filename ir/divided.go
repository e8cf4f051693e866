package ir

import "slices"

// Division says how a condition tells the threads of a CTA apart.
type Division uint8

const (
	ByIndex Division = iota + 1 // by the number of the thread alone, or by whether that is what all threads have alike: for sure
	ByBound                     // by the number of the thread and a number that the kernel is given: unless that happens to fit the CTA
	ByData                      // by what each thread has read at a place of its own
)

// Divided is a barrier of the whole CTA on one way of a branch at which the threads of the CTA part, of which the other way leads to where both come together by no
// barrier: those threads do not come to it, which is not defined (PTX ISA 9.7.13.1), or come to another one, which is taken for this one. Threads that end on the way are
// not waited for, but missing where the barrier gathers what all have.
type Divided struct {
	Barrier, Branch int32
	By              Division
	Lanes           bool  // the branch surely parts lanes of a warp
	Ends            bool  // the other way ends, and what the barrier gathers of those threads is missing
	Leaves          bool  // the other way leaves the loop that the branch is in
	Later           int32 // the barrier that those threads come to next; -1: not known
}

// most is how many instructions a kernel has at most in which divided barriers and masks are looked for.
const most = 1 << 18

// Divided lists the barriers that not all threads come to, with a block of that shape, which may be a guess: each branch, and each barrier, once. What it says of is may: whether the
// condition ever divides the threads of a launch hangs on what that gives.
func (c *Kernel) Divided(block [3]int, guess bool) []Divided { return c.divided(block, guess, false) }

// PerhapsDivided lists those of which it is not known whether the condition divides the threads: for whoever has an execution that shows it.
func (c *Kernel) PerhapsDivided(block [3]int, guess bool) []Divided {
	return slices.DeleteFunc(c.divided(block, guess, true), func(d Divided) bool { return d.By != 0 })
}

func (c *Kernel) divided(block [3]int, guess, perhaps bool) (out []Divided) {
	if len(c.Insts) > most || !slices.ContainsFunc(c.Insts, func(in Inst) bool { return in.meetsAll() }) {
		return nil
	}
	told := map[int32]bool{}
	t := c.newTests(block, guess)
	for pc := int32(len(c.Insts)) - 1; pc >= 0; pc-- { // the condition next to a barrier first
		in := &c.Insts[pc]
		if in.Op != Branch || in.Guard < 0 || in.Target == pc+1 || t.u.Predicates[in.Guard] == UniformCTA || !t.fl.Reached(t.fl.BlockOf(pc)) {
			continue
		}
		stop := t.fl.after[t.fl.BlockOf(pc)]
		if stop < 0 {
			continue
		}
		var sides [2]side
		froms := [2]int32{t.fl.BlockOf(pc + 1), t.fl.BlockOf(in.Target)}
		for k, from := range froms {
			sides[k] = c.sideOf(from, stop, (*Inst).meetsAll)
		}
		for k := range sides {
			s, other := &sides[k], &sides[1-k]
			if len(s.first) == 0 || told[s.first[0]] {
				continue
			}
			left := !other.past && other.ends && len(other.first) == 0 || other.past && c.ended(froms[1-k], stop)
			ends := left && c.Insts[s.first[0]].Flags&Gathers != 0
			if (!other.past || left) && !ends {
				continue
			}
			if by, lanes := t.divides(pc); (by != 0 || perhaps && !ends && other.past) && !(ends && by == ByIndex) { // roles that end are none of those that the collective is of
				d := Divided{Barrier: sides[k].first[0], Branch: pc, By: by, Lanes: lanes, Ends: ends, Leaves: c.Leaves(pc) && c.Innermost(pc).Has(t.fl.BlockOf(sides[k].first[0])), Later: -1}
				if after := c.sideOf(stop, -1, (*Inst).meetsAll); len(after.first) > 0 && !slices.Contains(after.first, d.Barrier) {
					d.Later = after.first[0]
				}
				for _, b := range sides[k].first {
					told[b] = true
				}
				out = append(out, d)
			}
		}
	}
	slices.Reverse(out)
	return out
}

// ended reports whether a way is no more than a jump, out of a function or a loop, behind which the kernel does nothing any more: as good as a return.
func (c *Kernel) ended(from, stop int32) bool {
	fl := c.Flow()
	if from == stop || fl.Start(from) != fl.Last(from) || c.Insts[fl.Start(from)].Op != Branch {
		return false
	}
	return fl.ahead(from, func(k int32) Heading {
		if in := &c.Insts[k]; in.Op.Synchronizes() || in.Op.Accesses() || in.Op == Call || in.Op == Stop || in.exchanges() {
			return Found
		}
		return Onward
	}) < 0
}

// meetsAll reports whether an instruction is a barrier that all threads of the CTA wait at.
func (in *Inst) meetsAll() bool {
	return in.Op == BarrierCTA && in.Flags&Arrives == 0 && in.B.Reg < 0 && in.B.Imm == 0
}

// MeetBehind reports whether all threads of the CTA meet somewhere between a branch and where its ways come together: then all of them go the same way, or the kernel is wrong anyway.
func (c *Kernel) MeetBehind(pc int32) bool {
	return slices.ContainsFunc(c.RegionOf(pc).Insts, func(k int32) bool { return c.Insts[k].meetsAll() })
}

// side is what is on a way from a branch to where its ways come together.
type side struct {
	first []int32 // of the instructions asked for those that it may come to first, in order
	past  bool    // it may get there without any, and without a barrier
	ends  bool    // it may end without them
}

// sideOf looks at the ways from a block to another one. Where the thread ends nothing is looked at, and what may synchronize in a way that is not known may be a barrier.
func (c *Kernel) sideOf(from, stop int32, wanted func(*Inst) bool) (s side) {
	type way struct {
		block   int32
		clouded bool
	}
	fl := c.Flow()
	seen := map[way]bool{}
ways:
	for todo := []way{{from, false}}; len(todo) > 0; {
		w := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; seen[w] {
			continue
		}
		seen[w] = true
		b := w.block
		if b == stop {
			s.past = s.past || !w.clouded
			continue
		}
		for k := fl.Start(b); k <= fl.Last(b); k++ {
			switch in := &c.Insts[k]; {
			case wanted(in):
				s.first = append(s.first, k)
				continue ways
			case in.Guard < 0 && (in.Op == Return || in.Op == Exit):
				s.ends = s.ends || !w.clouded
				continue ways
			case in.Op == Call, in.Op == Stop, in.Op == BarrierCTA, in.Op == BarrierCluster, in.Op == Outside && in.Flags&MayMeet != 0:
				w.clouded = true
			}
		}
		for _, next := range fl.Next(b) {
			todo = append(todo, way{next, w.clouded})
		}
	}
	slices.Sort(s.first)
	s.first = slices.Compact(s.first)
	return s
}
