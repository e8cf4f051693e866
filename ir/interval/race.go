package interval

import (
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/ir"
)

// pair is what is known of two accesses.
type pair struct {
	race          *Race
	assumed       bool    // it is in an interval to which what was chosen need not lead
	hits, chances int     // samples that show it, and that make both accesses
	chosen        bool    // an address is made of a number that was chosen
	sizes         [2]bool // it is shown by large numbers, by small ones
}

// compare looks for two accesses of one byte by different threads.
func (s *sample) compare(from int32, events []event) {
	cells, does := map[int64][]*event{}, map[int32]uint64{}
	s.does = append(s.does, does)
	for k := range events {
		e := &events[k]
		does[e.inst] |= 1 << (e.thread / ir.Lanes)
		if b := s.flow.BlockOf(e.inst); s.reached[b] == nil {
			s.reached[b] = map[uint64]bool{s.seed: true}
		} else {
			s.reached[b][s.seed] = true
		}
		if s.steps -= int(e.size); s.spent() {
			return
		}
		for at := e.at &^ 3; at < e.at+e.size; at += 4 {
			cells[at] = append(cells[at], e)
		}
	}
	for _, at := range slices.Sorted(maps.Keys(cells)) {
		list := thinned(cells[at])
		if s.steps -= len(list) * len(list); s.spent() {
			return
		}
		wrote := map[[2]int32]bool{} // instruction and thread
		for _, e := range list {
			if e.writes && !e.maybe && !e.anywhere {
				wrote[[2]int32{e.inst, int32(e.thread)}] = true
			}
		}
		for i, e := range list {
			for _, o := range list[i+1:] {
				// Who has written there itself, by the same store, finds what it wrote, if all write the same; that they do not is told of the two writes.
				mine := e.writes && !o.writes && wrote[[2]int32{e.inst, int32(o.thread)}] || o.writes && !e.writes && wrote[[2]int32{o.inst, int32(e.thread)}]
				if (e.writes || o.writes) && e.thread != o.thread && !mine && races(e, o) {
					s.hit(e, o, from)
				}
			}
		}
	}
}

// chance reports whether threads of some warps that make the one access and of others that make the other one might race as was seen: those of one warp, or of two.
func (r *Race) chance(a, b uint64) bool {
	if r.Lanes {
		return a&b != 0
	}
	return a != 0 && b != 0 && (a != b || a&(a-1) != 0)
}

// thinned keeps some writes and some reads of many.
func thinned(list []*event) (out []*event) {
	counts := map[[2]int32]int{}
	for _, e := range list {
		k := [2]int32{e.inst, int32(e.thread / ir.Lanes)}
		if counts[k]++; counts[k] <= 3 {
			out = append(out, e)
		}
	}
	if len(out) > 512 {
		out = out[:512]
	}
	return out
}

func ordered(a, b *event) [2]int32 { return [2]int32{min(a.inst, b.inst), max(a.inst, b.inst)} }

// races reports whether two accesses of different threads, which meet in a word, race.
func races(a, b *event) bool {
	switch {
	case a.at+a.size <= b.at || b.at+b.size <= a.at:
		return false
	case a.atomic && b.atomic, a.strong || b.strong:
		return false
	case a.anywhere && b.anywhere, (a.anywhere || b.anywhere) && (a.maybe || b.maybe || a.inst == b.inst):
		return false
	case a.maybe && b.maybe, (a.maybe || b.maybe) && a.inst == b.inst:
		return false
	case a.thread/ir.Lanes == b.thread/ir.Lanes && (a.meeting != b.meeting || a.inst == b.inst):
		return false
	case a.writes && b.writes:
		return a.stores && b.stores && a.value.taint&data == 0 && b.value.taint&data == 0 && a.value.n != b.value.n
	}
	return true
}

// hit notes a race of the sample.
func (s *sample) hit(a, b *event, from int32) {
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
	p.chosen = p.chosen || a.chosen || b.chosen
	lanes := a.thread/ir.Lanes == b.thread/ir.Lanes
	if p.race == nil || p.race.Lanes && !lanes {
		p.race = &Race{First: a.inst, Second: b.inst, Threads: [2]int{a.thread, b.thread}, Address: max(a.at, b.at), From: from, Written: [2]bool{a.writes, b.writes}, Lanes: lanes}
		if name := s.written[p.race.Address>>bufferBits]; name != "" {
			p.race.Buffer, p.race.Address = name, p.race.Address&(1<<bufferBits-1)
		}
	}
}
