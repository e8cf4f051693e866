package interval

import (
	"slices"

	"github.com/fencepost-dev/fencepost/ir"
)

// behindAll reports whether what comes before is a barrier of all threads of the CTA: who has not left the kernel comes there, whatever data say.
func (a *analysis) behindAll(from int32) bool {
	if from <= a.kernel.Functions[0][0] {
		return false
	}
	in, b := &a.kernel.Insts[from-1], a.flow.BlockOf(from)
	if from == a.flow.Start(b) && len(a.flow.Before(b)) != 1 { // other ways lead there, too
		return false
	}
	return in.Op == ir.BarrierCTA && (in.B == ir.None || in.B.Reg == -1 && in.B.Imm == 0)
}

// comes reports whether a thread comes to where an interval begins, as the conditions on all ways there say, and how many of these do, beginning with the nearest; not sure where data of its own decide
// that, and not all threads come.
func (s *state) comes(from int32, all bool, r rounds) (met int, comes, sure bool) {
	for b := s.flow.BlockOf(from); s.flow.Above(b) >= 0; b = s.flow.Above(b) {
		above := s.flow.Above(b)
		before := s.flow.Before(b)
		if len(before) != 1 || before[0] != above {
			continue
		}
		next, t, is := s.next(above, r)
		switch {
		case !t.divides():
		case all || s.onlyExit(above, b):
			continue
		default:
			return met, false, false
		}
		if is && next != b && !(s.assumes && t != 0 && t.alike() && !s.traps(next)) { // a premise is so, and not taken to be
			return met, false, true
		}
		met++
	}
	return met, true, true
}

// traps reports whether a block ends in a trap.
func (a *analysis) traps(block int32) bool {
	in := &a.kernel.Insts[a.flow.Last(block)]
	return in.Traps() && in.Guard < 0
}

// onlyExit reports whether from one block to another one is the only way out of a loop: whoever has come into that goes it, whatever data say.
func (a *analysis) onlyExit(from, to int32) bool {
	l := a.inmost[from]
	if l < 0 || a.loops[l].Has(to) {
		return false
	}
	for _, b := range a.loops[l].Blocks {
		for _, next := range a.flow.Next(b) {
			if (b != from || next != to) && !a.loops[l].Has(next) {
				return false
			}
		}
	}
	return true
}

// exit is the one block outside of a loop to which ways out of it lead; -1: there are several.
func (a *analysis) exit(l *ir.Loop) int32 {
	out := int32(-1)
	for _, b := range l.Blocks {
		for _, next := range a.flow.Next(b) {
			switch {
			case l.Has(next) || next == out:
			case out >= 0:
				return -1
			default:
				out = next
			}
		}
	}
	return out
}

// behindLoop is where all who leave a loop come by first; -1: nowhere.
func (a *analysis) behindLoop(l int32) int32 {
	b := a.loops[l].Header
	for b >= 0 && a.loops[l].Has(b) {
		next := a.flow.After(b)
		if next == b { // nobody leaves it
			return -1
		}
		b = next
	}
	return b
}

// idle says of a loop in which threads do nothing that is looked at, but that their lanes may meet, where it is left to; -1: it is none, or it is left to several places.
type idle struct {
	to    int32
	meets bool
}

func (a *analysis) idle(l *ir.Loop) idle {
	meets := false
	for _, b := range l.Blocks {
		for k := a.flow.Start(b); k <= a.flow.Last(b); k++ {
			switch in := &a.kernel.Insts[k]; {
			case in.Op == ir.Call, in.Traps():
				return idle{to: -1}
			case in.Op == ir.Shuffle, in.Op == ir.Vote, in.Op == ir.Elect:
				meets = true
			case a.acts[k] && (in.Space != ir.Local && in.Space != ir.Const || in.Op != ir.Load && in.Op != ir.Store):
				return idle{to: -1}
			}
		}
	}
	return idle{a.exit(l), meets}
}

// past goes by idle loops that begin at a block: what is computed there is followed where it is asked for. It says where the thread goes on, whether lanes have met, and which loops these are.
func (s *state) past(block int32, r rounds) (next int32, meets bool, gone []int32) {
	for range maxWay {
		l := s.headed[block]
		if l < 0 || s.idles[l].to < 0 || r[l] > 0 {
			break
		}
		s.pass(l, r)
		r[l] = passed
		meets, gone = meets || s.idles[l].meets, append(gone, l)
		s.enter(block, s.idles[l].to, r)
		block = s.idles[l].to
	}
	return block, meets, gone
}

// walk lists the accesses that a thread makes in an interval; ok is false where it does what it must not, so that what was chosen does not go together. At is the barrier of all threads that ends it; -1: none does.
func (s *state) walk(from, block int32, r rounds, f *flight) (out []event, ok bool, at int32) {
	k := from
	var met, joined meetings
	steps := 0
	join, parts := int32(-1), int32(-1) // behind which data of the thread decide no more where it is; those that its warp does not have alike
	tied := false                       // data do that together with which thread it is
	add := func(e event, made value) {
		e.meetings, e.joined, e.maybe, e.tied = met, joined, join >= 0 || made.divides(), tied || made.tied()
		e.alone = parts >= 0 || made.among().divides()
		out = append(out, e)
	}
	for {
		for ; k <= s.flow.Last(block); k++ {
			s.analysis.steps--
			if steps++; steps > maxThread || s.spent() {
				s.cut = true
				return out, true, -1
			}
			in := &s.kernel.Insts[k]
			if in.Op.Branches() {
				break
			}
			if !s.acts[k] {
				continue
			}
			made := value{n: 1}
			if in.Guard >= 0 {
				made = s.read(k, ir.Operand{Reg: in.Guard, Not: in.GuardNot}, ir.Predicate, r)
			}
			if e, is := s.barrier(k, in, r); is && (made.n != 0 || made.divides()) {
				add(e, made)
			}
			if s.ends(k, in) && !(in.Flags&ir.MayMeet != 0 && s.partly(k, r, in.Op == ir.Load)) {
				if made.n != 0 || made.divides() {
					if made.divides() || join >= 0 || !s.behindAll(k+1) {
						return out, true, -1
					}
					return out, true, k
				}
				continue
			}
			if in.Flags&ir.Meets != 0 || in.Op == ir.BarrierWarp || in.Op == ir.Shuffle || in.Op == ir.Vote || in.Op == ir.Elect {
				tile := s.tile(k, in, r)
				met[tile]++
				if in.Op == ir.BarrierWarp {
					joined[tile]++
				}
				continue
			}
			if made.n == 0 {
				continue
			}
			for _, e := range s.copies(k, in, r, f) {
				add(e, made)
			}
			e, is, fits := s.event(k, in, r)
			if !fits {
				return nil, false, -1
			}
			if is {
				add(e, made)
			}
		}
		last := s.flow.Last(block)
		in := &s.kernel.Insts[last]
		if in.Op == ir.Call {
			return out, true, -1
		}
		next, t, is := s.next(block, r)
		if !is {
			if in.Traps() {
				return nil, false, -1
			}
			return out, true, -1
		}
		if t&(data|chosen) != 0 {
			s.gone[edge{from, block, next}] = true
		}
		tied = tied || t.tied() || t&opaque != 0
		if t.divides() || t&opaque != 0 {
			to := int32(-1)
			if region := s.kernel.RegionOf(last); region.To >= 0 && region.Why == "" {
				to = s.flow.BlockOf(region.To)
			}
			if to < 0 && join < 0 && t.divides() {
				s.cut = true
				return out, true, -1
			}
			if join < 0 {
				join = to
			}
			if parts < 0 && (t.among().divides() || t&opaque != 0) {
				if parts = to; to < 0 {
					parts = join
				}
			}
		}
		s.enter(block, next, r)
		if l := s.headed[next]; l >= 0 && (r[l] > maxRounds || r[l] > fewRounds && steps > longWay) { // what comes behind the loop comes then, too
			s.cut = true
			if next = s.behindLoop(l); next < 0 {
				return out, true, -1
			}
			r[l] = maxRounds + 1
			s.enter(block, next, r)
			if join >= 0 && s.loops[l].Has(join) {
				join, tied = -1, false
			}
			if parts >= 0 && s.loops[l].Has(parts) {
				parts = -1
			}
		}
		next, meets, gone := s.past(next, r)
		if meets {
			met[len(met)-1]++
		}
		block = next
		if over := func(b int32) bool {
			return block == b || slices.ContainsFunc(gone, func(l int32) bool { return s.loops[l].Has(b) })
		}; join >= 0 && over(join) {
			join, parts, tied = -1, -1, false
		} else if parts >= 0 && over(parts) {
			parts = -1
		}
		k = s.flow.Start(block)
	}
}

// partly reports whether the thread comes to an instruction without all lanes of its warp that are still there, by which threads these are: what is called there waits for nobody, or it would be for ever. With
// gone those count that have left the kernel: nobody waits for them before what is read there.
func (s *state) partly(k int32, r rounds, gone bool) bool {
	seen := map[int32]bool{}
	b := s.at.Block
	first := s.thread &^ (ir.Lanes - 1)
	for todo := []int32{s.flow.BlockOf(k)}; len(todo) > 0; {
		block := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, d := range s.flow.Deciders(block) {
			if seen[d] {
				continue
			}
			seen[d] = true
			todo = append(todo, d)
			mine, t, is := s.next(d, r)
			if !is || t.divides() || t.alike() || !gone && s.kernel.EndsApart(s.flow.Last(d)) {
				continue
			}
			for lane := first; lane < min(first+ir.Lanes, b[0]*b[1]*b[2]); lane++ {
				if way, t, is := s.state(lane).next(d, r); is && !t.divides() && way != mine {
					return true
				}
			}
		}
	}
	return false
}

// ends reports whether an interval ends for a thread at an instruction: it may wait there, or something else may order what comes behind.
func (s *analysis) ends(k int32, in *ir.Inst) bool {
	switch in.Op {
	case ir.BarrierWarp, ir.GroupCommit, ir.MbarInit, ir.MbarInval, ir.Async, ir.AsyncArrive:
		return false
	case ir.GroupWait:
		return false
	case ir.BarrierCTA:
		return in.Flags&ir.Arrives == 0
	case ir.Stop:
		return true
	case ir.Load:
		return s.polls[k] && !s.quiet() || in.Flags&ir.MayMeet != 0 // by what is called: it may have waited before
	}
	return in.Op.Does(ir.Blocks) || in.Flags&ir.MayMeet != 0
}

// quiet reports whether threads of the CTA tell each other nothing but at barriers: one thread alone looks at what others may write meanwhile, and what it looks at nobody else of the CTA writes. It waits for other CTAs
// then, and what it waits for, and its fences, order nothing among the threads of its own.
func (a *analysis) quiet() bool {
	if a.hushed == nil {
		quiet := a.listens()
		a.hushed = &quiet
	}
	return *a.hushed
}

func (a *analysis) listens() bool {
	who := map[int64]bool{}
	var pointers []string
	for k := range a.kernel.Insts {
		in := &a.kernel.Insts[k]
		switch {
		case in.Op == ir.Call, in.Op == ir.Outside, in.Flags&ir.MayMeet != 0, in.Op.Does(ir.Writes) && in.Op != ir.Store && in.Op != ir.Atomic && in.Space != ir.Shared:
			return false
		case in.Op == ir.Load && (in.Strong() || a.polls[int32(k)]), in.Op == ir.Atomic && in.D >= 0:
			of := a.pointersOf(in)
			if in.Space != ir.Global || len(of) == 0 {
				return false
			}
			pointers = append(pointers, of...)
			if who = a.who(int32(k), who); len(who) > 1 {
				return false
			}
		}
	}
	for k := range a.kernel.Insts {
		in := &a.kernel.Insts[k]
		if in.Op != ir.Store && in.Op != ir.Atomic || in.Space != ir.Global && in.Space != ir.Generic {
			continue
		}
		of := a.pointersOf(in)
		if in.Space == ir.Global && len(of) > 0 && !slices.ContainsFunc(of, func(name string) bool { return slices.Contains(pointers, name) }) {
			continue
		}
		if who = a.who(int32(k), who); len(who) > 1 {
			return false
		}
	}
	return true
}

// pointersOf are the parameters that an address is made of; none where it may come from memory.
func (a *analysis) pointersOf(in *ir.Inst) []string {
	bare := ir.Blank(ir.Load)
	bare.A, bare.Guard = in.A, -1
	names, memory := a.kernel.InputsOf(&bare)
	if memory {
		return nil
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return !slices.ContainsFunc(a.kernel.Given(), func(p ir.Parameter) bool { return p.Pointer && p.Called() == name })
	})
}

// who adds the threads of a CTA that come to an instruction, as which thread it is says.
func (a *analysis) who(k int32, to map[int64]bool) map[int64]bool {
	t := ir.Thread{Block: [3]int64{int64(a.block[0]), int64(a.block[1]), int64(a.block[2])}}
	for n := range t.Block[0] * t.Block[1] * t.Block[2] {
		t.At = [3]int64{n % t.Block[0], n / t.Block[0] % t.Block[1], n / t.Block[0] / t.Block[1]}
		if a.steps--; a.kernel.Comes(k, t) {
			if to[n] = true; len(to) > 1 {
				break
			}
		}
	}
	return to
}
