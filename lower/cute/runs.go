package cute

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/value"
)

const (
	// maxRuns bounds the runs of neighbouring elements that a view is taken apart into, each an access of its own.
	maxRuns = 32
	// maxWidth bounds the elements of a view.
	maxWidth = 1 << 20
	// farthest bounds the distances between them.
	farthest = 1 << 40
)

// Runs takes the elements of a view apart: where each run of neighbours starts, from the view's origin, and how long one is.
func Runs(shaped, stepped value.Value) (starts []int64, width int64, ok bool) {
	shape, steps := Flatten(shaped), Flatten(stepped)
	if len(shape) != len(steps) {
		return nil, 0, false
	}
	type mode struct{ extent, step int64 }
	var ms []mode
	total := int64(1)
	for i := range shape {
		n, ok1 := shape[i].(value.Int)
		s, ok2 := steps[i].(value.Int)
		if !ok1 || !ok2 || n < 1 || s < 0 || n > maxWidth || s > farthest/maxWidth {
			return nil, 0, false
		}
		if total *= int64(n); total > maxWidth {
			return nil, 0, false
		}
		if n > 1 && s > 0 {
			ms = append(ms, mode{int64(n), int64(s)})
		}
	}
	slices.SortFunc(ms, func(a, b mode) int { return int(a.step - b.step) })
	width, starts = 1, []int64{0}
	for _, e := range ms {
		if len(starts) == 1 && e.step <= width {
			width += (e.extent - 1) * e.step
			continue
		}
		if int64(len(starts))*e.extent > maxRuns {
			return nil, 0, false
		}
		var more []int64
		for k := range e.extent {
			for _, s := range starts {
				more = append(more, s+k*e.step)
			}
		}
		starts = more
	}
	return starts, width, true
}
