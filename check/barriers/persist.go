package barriers

import (
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir/exec"
)

const (
	maxHalvings = 10 // runs that look for the greatest number with which arrays are not left
	enoughAlike = 2  // more numbers that have to show a race
)

// persists reports whether a race at addresses that are made of numbers that were tried is one whatever these are: it is kept then. Rows that are too short for what is written
// to them overlap, and longer ones do not; a race that stays when each of the numbers alone becomes much greater, as great as the arrays have room for, or less, is no matter of
// how long rows are.
func (s *search) persists(r *Report, l exec.Launch) bool {
	kept, doubted := r.sureRaces(l)
	race := func(f order.Finding) bool { return f.Check == order.Race && !f.Benign && len(f.Points) == 2 }
	if len(doubted) == 0 || r.behind != "" || slices.ContainsFunc(kept, race) {
		return false
	}
	for _, f := range r.Findings {
		if !race(f) {
			continue
		}
		var names []string
		for _, p := range f.Points {
			all, _ := r.Execution.Kernel.AddressOf(p.Place, order.InGlobalMemory(f.Object))
			for _, name := range slices.Concat(all, r.copiedFrom(&f), r.outgrown[p]) {
				if r.tried(name, l) && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
		if slices.ContainsFunc(names, func(name string) bool { return !s.stands(r, &f, name) }) {
			return false
		}
		r.Findings, r.Persists = append(kept, f), true
		return true
	}
	return false
}

// fewRounds are as many as a loop has in which one of the next rounds comes to what a round before it left; what a thread has room for may be no more.
const fewRounds = 4

// stands reports whether a race is there with other numbers for one input, too, and with none that makes its accesses is it not.
func (s *search) stands(r *Report, f *order.Finding, name string) bool {
	n, given := r.Execution.Launch.Params[name]
	if !given {
		return false
	}
	alike, fails := 0, false
	fits := func(m int64) bool {
		if m == n || m <= 0 {
			return true
		}
		with := r.Execution.Launch
		with.Params = maps.Clone(with.Params)
		with.Params[name] = m
		other, err := s.once(with, true, false)
		switch {
		case err != nil || s.over():
			fails = true
		case other.behind != "":
			return false
		case other.Result == nil:
		case other.Checks[order.Race] == engine.Violated && slices.ContainsFunc(other.Findings, func(o order.Finding) bool { return samePlaces(f, &o) }):
			alike++
		case other.makes(f):
			fails = true
		}
		return true
	}
	low, high := n, int64(0)
	b := r.Execution.Launch.Block
	others := []int64{n / 2, 2*n + 1, 16*n + 5, 2*int64(b[0]*b[1]*b[2]) + n} // the last one has room for all threads
	if n/2 > fewRounds {
		others = append(others, fewRounds)
	}
	for _, m := range others {
		if fails {
			return false
		}
		if !fits(m) && m > n && (high == 0 || m < high) {
			high = m
		} else if m > low && (high == 0 || m < high) {
			low = m
		}
	}
	for k := 0; k < maxHalvings && high > low+1 && !fails; k++ {
		if m := low + (high-low)/2; fits(m) {
			low = m
		} else {
			high = m
		}
	}
	return !fails && alike >= enoughAlike
}
