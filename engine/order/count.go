package order

import "math/bits"

// counts is how often something is accessed.
type counts struct{ reads, writes int64 }

// pairs is how many pairs of accesses there are of which one writes.
func (c counts) pairs() int64 { return c.writes*(c.writes-1)/2 + c.writes*c.reads }

// tests counts the cells that are accessed, and the pairs of accesses of one cell by different threads of which one writes: what
// a check of each pair would test.
func (m *cells) tests() (addresses int, tests int64) {
	total := make([]counts, len(m.list))
	same := make([]int64, len(m.list))
	byPrint := make([]counts, len(m.prints))
	for _, s := range m.r.strands {
		touched := m.countPrints(s, byPrint)
		own := map[int64]counts{} // by cell and lane
		for _, n := range touched {
			c := byPrint[n]
			byPrint[n] = counts{}
			for _, t := range m.prints[n].touches {
				for lanes := t.lanes; lanes != 0; lanes &= lanes - 1 {
					k := int64(t.cell)<<5 | int64(bits.TrailingZeros32(lanes))
					x := own[k]
					own[k] = counts{x.reads + c.reads, x.writes + c.writes}
				}
			}
		}
		for k, c := range own {
			x := &total[k>>5]
			x.reads, x.writes = x.reads+c.reads, x.writes+c.writes
			same[k>>5] += c.pairs()
		}
	}
	for i, c := range total {
		if n := m.list[i].size; c.reads+c.writes > 0 {
			addresses += int(n)
			tests += (c.pairs() - same[i]) * int64(n)
		}
	}
	return addresses, tests
}

// countPrints counts the accesses of a strand by footprint, and lists the footprints that it has.
func (m *cells) countPrints(s *strand, by []counts) (touched []uint32) {
	w, next := m.r.p.Warps[s.warp], 0
	count := func(write bool) {
		n := s.prints[next]
		next++
		if by[n] == (counts{}) {
			touched = append(touched, n)
		}
		if write {
			by[n].writes++
		} else {
			by[n].reads++
		}
	}
	for i := range w.Commands {
		c := &w.Commands[i]
		switch {
		case c.Mask&s.lanes == 0:
		case c.Kind.Access():
			count(c.Kind != Read)
		case c.Kind == AsyncCopy:
			for _, a := range w.copies[c.C].Accesses {
				count(a.Write)
			}
		}
	}
	return touched
}
