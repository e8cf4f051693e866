package interval

import (
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/ir"
)

// makers are the threads that make an access in an interval: their warps, and one of them.
type makers struct {
	warps   uint64
	thread  int
	several bool
}

// pair is what is known of two accesses.
type pair struct {
	race          *Race
	assumed       bool    // it is in an interval to which what was chosen need not lead
	hits, chances int     // samples that show it, and that make both accesses
	open          int     // samples that make one of them, and of which not all was followed
	chosen        bool    // an address is made of a number that was chosen
	picked        bool    // memory picks the element that all threads access, or none of them: not all samples need show it
	sizes         [2]bool // it is shown by large numbers, by small ones
}

// leastAssumed is how many samples have to show a race in an interval to which they need not lead.
const leastAssumed = 4

// leastChosen is how many have to show one of global memory whose address is made of a number that was chosen: a row is as long as one such number says, and how much of it is used another one.
// Of shared memory as many have to where small numbers do not lead there, or large ones: a second tile is none of few rows.
const leastChosen = 4

// told reports whether samples show a race well enough: two of them, and all that might, unless memory picks the element. Where what was chosen need not go together, or makes the addresses, large numbers and small ones have to, and never both; of shared memory many of one kind do, too.
func (p *pair) told() bool {
	switch {
	case p.hits < 2, p.hits < p.chances && !p.picked, p.chosen && p.assumed:
		return false
	case p.chosen && p.race.Buffer != "" && p.hits < leastChosen:
		return false
	case p.assumed && (p.hits < leastAssumed || p.open > p.hits):
		return false
	}
	return !p.chosen && !p.assumed || p.sizes[0] && p.sizes[1] || !p.assumed && p.race.Buffer == "" && p.hits >= leastChosen
}

// compare looks for two accesses of one byte by different threads.
func (s *sample) compare(from int32, events []event) {
	cells, does := map[int64][]*event{}, map[int32]makers{}
	if !s.carries { // who has a copy on the way need not race with it
		s.does, s.cuts = append(s.does, does), append(s.cuts, s.cut)
	}
	var chosen []*event
	for k := range events {
		e := &events[k]
		by, others := does[e.inst]
		does[e.inst] = makers{by.warps | 1<<(e.thread/ir.Lanes), e.thread, by.several || others && by.thread != e.thread}
		if b := s.flow.BlockOf(e.inst); s.reached[b] == nil {
			s.reached[b] = map[uint64]bool{s.seed: true}
		} else {
			s.reached[b][s.seed] = true
		}
		if s.analysis.steps -= int(e.size); s.analysis.steps <= 0 {
			return
		}
		if x := s.indices[e.inst]; s.opens && x != nil && e.based && len(x.Data) > 0 && len(x.Own) == 0 {
			chosen = append(chosen, e)
		}
		if e.open {
			continue
		}
		for at := e.at &^ 3; at < e.at+e.size; at += 4 {
			cells[at] = append(cells[at], e)
		}
	}
	if !s.carries {
		s.elements(from, chosen, events)
	}
	for _, at := range slices.Sorted(maps.Keys(cells)) {
		list := thinned(cells[at])
		if s.analysis.steps -= len(list) * len(list); s.analysis.steps <= 0 {
			return
		}
		wrote := map[[2]int32]bool{} // instruction and thread
		for _, e := range list {
			if e.writes && !e.maybe && !e.anywhere && !e.atomic {
				wrote[[2]int32{e.inst, int32(e.thread)}] = true
			}
		}
		for i, e := range list {
			for _, o := range list[i+1:] {
				// Who has written there itself, by the same store, finds what it wrote, if all write the same; that they do not is told of the two writes.
				// So are all threads one thread that write the same places one after the other, as where a kernel is meant for one.
				mine := (e.writes != o.writes || e.inst != o.inst) && (e.writes && wrote[[2]int32{e.inst, int32(o.thread)}] || o.writes && wrote[[2]int32{o.inst, int32(e.thread)}])
				if (!s.carries || e.carried || o.carried) && (e.writes || o.writes) && e.thread != o.thread && !mine && s.races(e, o) {
					s.hit(e, o, from)
				}
			}
		}
	}
}

// maxElements bounds the accesses of elements that data choose which are compared with others.
const maxElements = 64

// elements compares accesses of elements that data choose with those by an index that threads have by which they are: of the same array each may be of the element of another thread.
func (s *sample) elements(from int32, chosen []*event, events []event) {
	if len(chosen) == 0 {
		return
	}
	arrays := map[string][]*event{}
	for k := range events {
		if e := &events[k]; !e.anywhere && !e.maybe && e.based {
			if x := s.index(e.inst); len(x.Data) == 0 {
				arrays[x.Array] = append(arrays[x.Array], e)
			}
		}
	}
	if chosen = thinned(chosen); len(chosen) > maxElements {
		chosen = chosen[:maxElements]
	}
	for _, c := range chosen {
		x := s.index(c.inst)
		others := thinned(arrays[x.Array])
		if s.analysis.steps -= len(others); s.analysis.steps <= 0 {
			return
		}
		for _, e := range others {
			if e.thread != c.thread && (e.writes != c.writes || e.atomic != c.atomic || e.writes && s.differ(c, e)) && s.element(x, c, e) {
				s.hit(c, e, from).Chosen = true
			}
		}
		for _, e := range chosen {
			if e.thread != c.thread && e.writes && s.counted(c, e) {
				s.hit(c, e, from).Chosen = true
			}
		}
	}
}

// element reports whether an access may be of the element that data choose for another one, and races with it.
func (s *sample) element(x *ir.Index, c, e *event) bool {
	if c.tied || c.picked && !s.byData(c.inst) || !c.based || !e.based || c.atomic && e.atomic || c.strong || e.strong || apart(c, e) {
		return false
	}
	y, first, other := s.index(e.inst), c.base, e.base
	step := int64(0) // from one element that data may choose to the next
	for _, term := range x.Data {
		for at := term.By; at != 0; {
			step, at = at, step%at
		}
	}
	step = max(step, -step)
	if beyond := y.Alike.Const - x.Alike.Const; other-first != beyond || max(beyond, -beyond) >= step || e.at < min(first, other) {
		return false
	}
	apart := ((e.at-first)%step + step) % step
	return apart < c.size || apart+e.size > step
}

// chance reports whether threads of some warps that make the one access and of others that make the other one might race as was seen: those of one warp, or of two.
func (r *Race) chance(a, b makers) bool {
	switch {
	case !a.several && !b.several && a.thread == b.thread:
		return false
	case r.Lanes:
		return a.warps&b.warps != 0
	}
	return a.warps != 0 && b.warps != 0 && (a.warps != b.warps || a.warps&(a.warps-1) != 0)
}

// mostThinned bounds what is kept of the accesses of one word: of each instruction as many.
const mostThinned = 128

// thinned keeps some writes and some reads of many: of each warp some lanes, between two of their meetings.
func thinned(list []*event) (out []*event) {
	type key struct {
		inst, warp int
		meetings   meetings
	}
	counts, last := map[key]int{}, map[key]int{}
	for _, e := range list {
		k := key{int(e.inst), e.thread / ir.Lanes, e.meetings}
		if counts[k] > 0 && last[k] == e.thread {
			continue
		}
		last[k] = e.thread
		if counts[k]++; counts[k] <= 3 {
			out = append(out, e)
		}
	}
	if len(out) <= mostThinned {
		return out
	}
	of := map[int32]int{} // instruction → what is kept of it
	for _, e := range out {
		of[e.inst]++
	}
	most := max(mostThinned/len(of), 4)
	clear(of)
	return slices.DeleteFunc(out, func(e *event) bool {
		of[e.inst]++
		return of[e.inst] > most
	})
}

func ordered(a, b *event) [2]int32 { return [2]int32{min(a.inst, b.inst), max(a.inst, b.inst)} }

// races reports whether two accesses of different threads, which meet in a word, race.
func (s *sample) races(a, b *event) bool {
	one, other := a.maybe, b.maybe
	if a.thread/ir.Lanes == b.thread/ir.Lanes {
		one, other = a.alone, b.alone
	}
	switch {
	case a.at+a.size <= b.at || b.at+b.size <= a.at:
		return false
	case a.init || a.uses || b.init || b.uses:
		return (a.init && b.uses || a.uses && b.init) && a.thread/ir.Lanes != b.thread/ir.Lanes && !a.maybe && !b.maybe
	case a.atomic && b.atomic, a.strong || b.strong, a.atomic && !b.writes && s.asks(b.inst, a.inst), b.atomic && !a.writes && s.asks(a.inst, b.inst):
		return false
	case (a.chosen || b.chosen) && s.written[a.at>>bufferBits] != "" && !s.beside(a, b): // offsets that are chosen may lead to parts of a buffer that are apart
		return false
	case a.anywhere && b.anywhere:
		return s.counted(a, b)
	case (a.anywhere || b.anywhere) && (a.tied || b.tied || a.inst == b.inst):
		return false
	case one && other && !(s.updates(a, b) && s.byData(a.inst) && s.byData(b.inst)), (one || other) && a.inst == b.inst:
		return false
	case apart(a, b), a.thread/ir.Lanes == b.thread/ir.Lanes && (a.inst == b.inst || s.inOneStatement(a, b)):
		return false
	case a.writes && b.writes && !a.atomic && !b.atomic:
		return s.differ(a, b)
	}
	return true
}

// inOneStatement reports whether what one lane writes at the end of a statement is what another one reads in it: lanes that go on together have read by then.
func (s *sample) inOneStatement(a, b *event) bool {
	if a.inst > b.inst {
		a, b = b, a
	}
	if a.writes || !b.writes || b.atomic {
		return false
	}
	line := s.kernel.Where(&s.kernel.Places[s.kernel.Insts[a.inst].Place])
	for n := a.inst; n <= b.inst; n++ {
		in := &s.kernel.Insts[n]
		if in.Op.Branches() || n < b.inst && in.Op.Does(ir.Writes) || s.kernel.Where(&s.kernel.Places[in.Place]) != line {
			return false
		}
	}
	return true
}

// apart reports whether lanes of one warp have met between two accesses. Where they have but exchanged values, who wrote before has not handed over what it wrote (PTX ISA 9.7.9.6); what was read before
// was read.
func apart(a, b *event) bool {
	if a.thread/ir.Lanes != b.thread/ir.Lanes {
		return false
	}
	met := func(m *meetings) int { return m.of(a.thread, b.thread) }
	switch first, second := met(&a.meetings), met(&b.meetings); {
	case first == second:
		return false
	case first > second:
		return met(&a.joined) != met(&b.joined) || !b.writes || b.atomic
	}
	return met(&a.joined) != met(&b.joined) || !a.writes || a.atomic
}

// counted reports whether two accesses of shared memory are those by which elements that data choose are updated, as counts are: two threads may come to one. In global memory it may be a row for each thread.
func (s *sample) counted(a, b *event) bool {
	if apart(a, b) || a.at >= 1<<bufferBits {
		return false
	}
	x, y := s.index(a.inst), s.index(b.inst)
	if x == nil || y == nil || len(x.Data) == 0 || len(x.Own)+len(y.Own) > 0 {
		return false
	}
	return s.updates(a, b) && (!(a.maybe || a.tied || b.maybe || b.tied) || s.byData(a.inst) && s.byData(b.inst))
}

// updates reports whether one of two accesses writes what is made of what the other one has found there.
func (s *sample) updates(a, b *event) bool {
	if a.writes == b.writes || a.atomic || b.atomic || a.strong || b.strong {
		return false
	}
	if b.writes {
		a, b = b, a
	}
	key := [2]int32{a.inst, b.inst}
	is, known := s.updated[key]
	if !known {
		is = s.kernel.Updated(s.kernel.Insts[a.inst].Place, s.kernel.Insts[b.inst].Place)
		s.updated[key] = is
	}
	return is
}

// byData reports whether all threads that come by may execute an instruction, if data are so.
func (a *analysis) byData(k int32) bool {
	is, known := a.free[k]
	if !known {
		is = a.kernel.ByData(k)
		a.free[k] = is
	}
	return is
}

// beside reports whether two accesses are counted from the same place, whatever numbers are chosen.
func (s *sample) beside(a, b *event) bool {
	x, y := s.index(a.inst), s.index(b.inst)
	return x != nil && y != nil && x.Array == y.Array
}

// hit notes a race of the sample.
func (s *sample) hit(a, b *event, from int32) *Race {
	if a.inst > b.inst {
		a, b = b, a
	}
	key := [2]int32{a.inst, b.inst}
	p := s.pairs[key]
	if p == nil {
		p = &pair{}
		s.pairs[key] = p
	}
	s.met[key] = true
	p.assumed = p.assumed || s.assumes
	p.chosen, p.picked = p.chosen || a.chosen || b.chosen, p.picked || a.picked || b.picked
	lanes := a.thread/ir.Lanes == b.thread/ir.Lanes
	if p.race == nil || p.race.Lanes && !lanes {
		p.race = &Race{First: a.inst, Second: b.inst, Threads: [2]int{a.thread, b.thread}, Address: max(a.at, b.at), From: from, Written: [2]bool{a.writes, b.writes}, Lanes: lanes, Init: a.init || b.init}
		if name := s.written[p.race.Address>>bufferBits]; name != "" {
			p.race.Buffer, p.race.Address = name, p.race.Address&(1<<bufferBits-1)
		}
	}
	p.race.Chosen = p.race.Chosen || a.picked || b.picked
	return p.race
}

// differ reports whether two stores write different values: surely, or the one what was computed from data, and the other what was not.
func (s *sample) differ(a, b *event) bool {
	if a.rounds == nil || b.rounds == nil {
		return false
	}
	x, y := s.stored(a), s.stored(b)
	if (x.taint|y.taint)&opaque != 0 {
		return false
	}
	if (x.taint|y.taint)&data == 0 {
		return x.n != y.n
	}
	return a.inst != b.inst && x.taint&data != y.taint&data
}

// stored is what a store writes.
func (s *sample) stored(e *event) value {
	return s.state(e.thread).read(e.inst, s.kernel.Insts[e.inst].B, ir.Register, e.rounds)
}
