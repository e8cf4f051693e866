package barriers

import (
	"cmp"
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
)

// Limits of what is asked of the addresses of one run.
const (
	maxMet      = 1 << 16 // accesses
	maxPairs    = 1 << 20 // of those
	maxMeetings = 6       // numbers that are tried
	maxSlopes   = 4       // addresses go by so many different multiples of an input
)

// meetings tries numbers for inputs of which the kernel's author says which they may be (Kernel.Premised), and that global memory is accessed by at places
// whose distance is not known: each of these numbers is one that the kernel is meant for. Besides those after which threads do something else it is asked
// with which two threads come to one place. nil: no race was found.
func (s *search) meetings(own *Report, with, l exec.Launch) (*Report, error) {
	if own.Conflict == nil && own.Apart == nil {
		return nil, nil
	}
	for _, name := range s.whole.Premised {
		if _, given := with.Params[name]; given || !s.everywhere.Integers()[name] {
			continue
		}
		run := func(n int64) (*Report, error) { return s.conflicts(given(with, name, n), given(l, name, n)) }
		var met []*Report
		for _, n := range s.everywhere.Numbers(name, s.premise(own.Execution)) {
			if s.over() || len(met) == 2 {
				break
			}
			r, err := run(n)
			if err != nil || r.Verdict == engine.Violated {
				return r, err
			}
			if r.Execution.Stop == nil && r.Execution.Trap == nil {
				met = append(met, r)
			}
		}
		if len(met) < 2 {
			continue
		}
		for _, n := range together(met[0], met[1], name) {
			if s.over() {
				break
			}
			if r, err := run(n); err != nil || r.Verdict == engine.Violated && r.Execution.Trap == nil {
				return r, err
			}
		}
	}
	return nil, nil
}

// made is one access of a thread: the nth that it makes at a place of the text.
type made struct {
	warp, lane int
	place      uint32
	nth        int
}

// reached is where an access goes in global memory: so far behind what a name leads to.
type reached struct {
	name   string
	offset int64
	writes bool
}

// reaches lists the accesses of global memory of a run.
func (r *Report) reaches() map[made]reached {
	out := map[made]reached{}
	for n, w := range r.Execution.Program.Warps {
		times := map[[2]uint32]int{}
		for k := range w.Commands {
			c := &w.Commands[k]
			if !c.Kind.Access() || !order.InGlobalMemory(c.A) {
				continue
			}
			for l := range ir.Lanes {
				if c.Mask>>l&1 == 0 {
					continue
				}
				if len(out) == maxMet {
					return out
				}
				key := [2]uint32{c.Place, uint32(l)}
				name, offset := r.Execution.GlobalPlace(uint32(int64(c.A) + int64(l)*int64(c.B)))
				out[made{n, l, c.Place, times[key]}] = reached{name, offset, c.Kind != order.Read}
				times[key]++
			}
		}
	}
	return out
}

// together lists numbers for an input with which two threads come to one place, of which one writes there, if addresses go with the input as they do from one of two
// runs to the other.
func together(a, b *Report, input string) (out []int64) {
	type group struct {
		at made
		reached
	}
	first, second := a.Execution.Launch.Params[input], b.Execution.Launch.Params[input]
	at, also := a.reaches(), b.reaches()
	slopes := map[string]map[int64][]group{} // by what leads there, and how far an address goes with one more
	for key, p := range at {
		q, met := also[key]
		if !met || p.name != q.name || p.name == "" || (q.offset-p.offset)%(second-first) != 0 {
			continue
		}
		by := (q.offset - p.offset) / (second - first)
		if slopes[p.name] == nil {
			slopes[p.name] = map[int64][]group{}
		}
		slopes[p.name][by] = append(slopes[p.name][by], group{key, p})
	}
	numbers, pairs := map[int64]bool{}, 0
	for _, of := range slopes {
		if len(of) > maxSlopes {
			continue
		}
		for x, list := range of {
			for y, others := range of {
				if x <= y {
					continue
				}
				for _, p := range list {
					for _, q := range others {
						if pairs++; pairs > maxPairs {
							break
						}
						if d := q.offset - p.offset; (p.writes || q.writes) && (p.at.warp != q.at.warp || p.at.lane != q.at.lane) && d%(x-y) == 0 {
							numbers[first+d/(x-y)] = true
						}
					}
				}
			}
		}
	}
	for n := range numbers {
		out = append(out, n)
	}
	distance := func(n int64) int64 { return max(n-first, first-n) }
	slices.SortFunc(out, func(m, n int64) int { return cmp.Or(cmp.Compare(distance(m), distance(n)), cmp.Compare(m, n)) })
	out = slices.DeleteFunc(out, func(n int64) bool { return n < -1<<31 || n >= 1<<31 })
	return out[:min(len(out), maxMeetings)]
}
