package order

import "math/bits"

// strand is lanes of one warp that run the same barrier commands: what orders one of them orders all of them alike, so they
// have one clock. What is not shared is a lane's own program order: lanes of a strand are ordered among each other only by
// what comes back to the strand through a barrier.
type strand struct {
	id    int
	warp  int
	cta   int
	lanes uint32
	alone bool // of one lane, or in lockstep: what stands before is before

	next      int              // index of the next command
	done      [doneUnits]int32 // position up to which the lanes' own asynchronous operations are done, by unit; reads apart
	doneDim   [doneUnits]int32 // dimension of a clock that tells others, 0 if none
	groups    [units][]int32   // positions of the commits
	now       clock
	prints    []uint32 // footprints of its accesses, in order
	nextPrint int
	past      []moment
	cluster   int8   // 1: arrived in the cluster barrier and has not waited
	arrivals  int    // in the cluster barrier
	met       uint32 // lanes of the collective that was its last command, accesses aside
}

// doneUnits are the units, and again the units with only their reading done.
const doneUnits = 2 * int(units)

// moment is a position from which on a strand has a clock.
type moment struct {
	pos int32
	now clock
}

// at is the strand's clock for its command at a position.
func (s *strand) at(pos int32) clock {
	lo, hi := 0, len(s.past)
	for lo < hi {
		if mid := (lo + hi) / 2; s.past[mid].pos < pos {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return nil
	}
	return s.past[lo-1].now
}

// acquire sets the clock that holds from after a position on.
func (r *run) acquire(s *strand, pos int32, c clock) {
	s.now = c
	if n := len(s.past); n > 0 && s.past[n-1].pos == pos {
		s.past[n-1].now = c
		return
	}
	s.past = append(s.past, moment{pos, c})
	r.memory += 32
}

// of is what a clock says of a strand.
func (c clock) of(dim int) int32 {
	if c == nil {
		return 0
	}
	return c[dim]
}

// before reports whether the command of a strand at a position comes before the command of s that is to come now, for all
// lanes of both.
func (s *strand) before(y *strand, pos int32) bool {
	return y == s && s.alone || s.now.of(y.id) >= pos
}

// divide divides the lanes of each warp by the barrier commands that they run.
func (r *run) divide() {
	for i, w := range r.p.Warps {
		parts := []uint32{w.Lanes}
		if !r.o.WarpSynchronous {
			last := uint32(0)
			for c := range w.Commands {
				if m := w.Commands[c].Mask; !w.Commands[c].Kind.Access() && m != last {
					parts = split(parts, m)
					last = m
				}
			}
		}
		of := make([]*strand, 0, len(parts))
		for _, lanes := range parts {
			s := &strand{id: len(r.strands), warp: i, cta: w.CTA, lanes: lanes, alone: r.o.WarpSynchronous || lanes&(lanes-1) == 0}
			r.strands = append(r.strands, s)
			of = append(of, s)
		}
		r.ofWarp = append(r.ofWarp, of)
		r.threads += bits.OnesCount32(w.Lanes)
	}
}

// split refines a partition of lanes by a mask.
func split(parts []uint32, m uint32) []uint32 {
	for i, n := 0, len(parts); i < n; i++ {
		if in, out := parts[i]&m, parts[i]&^m; in != 0 && out != 0 {
			parts[i] = in
			parts = append(parts, out)
		}
	}
	return parts
}
