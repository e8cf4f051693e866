package handoffs

import (
	"slices"

	"github.com/fencepost-dev/fencepost/ir"
)

// Unpaired is a word of global memory by which CTAs wait for each other, and of which one side alone orders memory: what the other one does has nothing to synchronize with. A release
// pattern synchronizes with an acquire pattern that observes its write, and with nothing else (PTX ISA 8.8, 8.10.2). What the order is for need not be seen.
type Unpaired struct {
	Word   string // what leads there
	Other  string // what leads to the word that is written, where it is the counterpart of the one that is waited for
	Wait   int32  // the read by which a loop waits
	Signal int32  // a write that it may be for
	Orders int32  // what orders the other side: the access itself, or a fence beside it
	Takes  bool   // it is the wait that acquires nothing; else no write that it may be for releases anything
}

// UnpairedOf lists the words of a kernel, or of a function by itself, of which one side alone is ordered. A wait with an order that the text does not ask for, volatile or none, is told of by none, nor is an atomic operation: what
// programs for GPUs without a memory model do there was enough for these.
func UnpairedOf(k *ir.Kernel, block [3]int, handed map[string]bool) (out []Unpaired) {
	f := newFinder(k, block, handed)
	if !f.accesses() {
		return nil
	}
	for _, c := range f.waits() {
		if c.ticket {
			continue
		}
		signals, other := f.signals(c), ""
		if len(signals) == 0 {
			if signals = f.counterparts(c); len(signals) > 0 {
				other = f.roots[signals[0]]
			}
		}
		signals = slices.DeleteFunc(signals, func(s int32) bool { return !k.Insts[s].Strong() || f.ownFlag(s, c) })
		if len(signals) == 0 {
			continue
		}
		in := &k.Insts[c.inst]
		acquired, unsure := f.beside(c.inst, ir.Acquire)
		var released, bare []int32 // of the writes, what releases them, and those that nothing does
		for _, s := range signals {
			switch by, may := f.beside(s, ir.Release); {
			case by >= 0:
				released = append(released, by)
			case !may:
				bare = append(bare, s)
			}
		}
		if f.left < 0 { // what was not looked at may order the two
			break
		}
		switch {
		case acquired >= 0 && len(bare) == len(signals):
			out = append(out, Unpaired{Word: f.roots[c.inst], Other: other, Wait: c.inst, Signal: bare[0], Orders: acquired})
		case acquired < 0 && !unsure && in.Op == ir.Load && in.Order == ir.Relaxed && len(released) > 0:
			out = append(out, Unpaired{Word: f.roots[c.inst], Other: other, Wait: c.inst, Signal: signals[0], Orders: released[0], Takes: true})
		}
		if len(out) >= maxHandoffs {
			break
		}
	}
	return out
}

// counterparts are the writes of words that nobody here waits for, of the number that a wait is for of whose word nobody here writes: each side runs this kernel, and writes where the other one waits, as where GPUs hand data round.
func (f *finder) counterparts(c wait) (out []int32) {
	all := f.k.Affine()
	awaited := map[string]bool{}
	for n := range f.k.Insts {
		in := &f.k.Insts[n]
		if in.Op != ir.Setp {
			continue
		}
		for _, sides := range [][2]ir.Operand{{in.A, in.B}, {in.B, in.A}} {
			if sides[0].Reg >= 0 && sides[1].Reg >= 0 && f.found(int32(n), sides[0], c.inst) {
				form := all.Of(int32(n), sides[1])
				awaited[all.Text(&ir.Form{Terms: form.Terms, Const: form.Const, Bits: 64})] = true
			}
		}
	}
	waited := map[place]bool{}
	for _, n := range f.order {
		waited[f.placeOf(n)] = waited[f.placeOf(n)] || f.polls[n]
	}
	for _, n := range f.order {
		if in := &f.k.Insts[n]; in.Op == ir.Store && in.B.Reg >= 0 && !waited[f.placeOf(n)] {
			form := all.Of(n, in.B)
			if awaited[all.Text(&ir.Form{Terms: form.Terms, Const: form.Const, Bits: 64})] {
				out = append(out, n)
			}
		}
	}
	return out
}

// found reports whether an operand is what a read has found, as it is or converted.
func (f *finder) found(n int32, o ir.Operand, read int32) bool {
	s := f.k.SSA()
	for range maxSteps {
		set, _ := s.Reaching(s.Read(n, o, ir.Register))
		if slices.Contains(set, read) {
			return true
		}
		if len(set) != 1 || f.k.Insts[set[0]].Op != ir.Move && f.k.Insts[set[0]].Op != ir.Convert {
			return false
		}
		n, o = set[0], f.k.Insts[set[0]].A
	}
	return false
}

// beside is what orders an access of a word in its thread: its own order, or a fence right behind a read, or right before a write; -1: nothing is seen to. may says that something further off may all the same, or
// what is not followed.
func (f *finder) beside(n int32, by ir.Order) (at int32, may bool) {
	orders := func(o ir.Order) bool { return o == by || o == ir.AcquireRelease || o == ir.Sequential }
	if orders(f.k.Insts[n].Order) {
		return n, true
	}
	var between []int32 // what a fence that is meant for the access does not stand behind
	for k := range f.k.Insts {
		in := &f.k.Insts[k]
		if in.Op == ir.BarrierCTA || int32(k) != n && (in.Op == ir.Store || in.Op == ir.Atomic) && in.Space != ir.Shared && in.Space != ir.Local {
			between = append(between, int32(k))
		}
	}
	leads := func(k int32, without ...int32) bool {
		if by == ir.Acquire {
			return f.reaches(n, k, without...)
		}
		return f.reaches(k, n, without...)
	}
	at = -1
	for k := range f.k.Insts {
		in, here := &f.k.Insts[k], int32(k)
		switch {
		case in.Op == ir.Fence && in.Mode == ir.NoProxy && orders(in.Order):
		case here != n && in.Op.Accesses() && in.Op != ir.Outside && orders(in.Order) && f.placeOf(here) == f.placeOf(n): // of the same word, before or behind it
		case in.Op == ir.Outside, in.Op == ir.Call, in.Op.Synchronizes() && !in.Op.Branches() && in.Op != ir.BarrierCTA && in.Op != ir.BarrierWarp:
			may = may || leads(here)
			continue
		default:
			continue
		}
		if !leads(here) {
			continue
		}
		if may = true; at < 0 && leads(here, between...) {
			at = here
		}
	}
	return at, may
}
