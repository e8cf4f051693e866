package check

import "fmt"

// Size is how many threads of a kernel are executed side by side.
type Size struct {
	CTAs, Block   int // threads of each CTA
	Cluster       int // CTAs of a cluster
	Cooperative   bool
	grid, threads int64    // CTAs and threads of each as launched, 0 where that is not known
	smallerOnes   [][2]int // CTAs and threads, the best first, that are still to be tried
}

// maxScheduled is how many threads package progress takes.
const maxScheduled = 64

// sizeOf is the first size to try: the grid as it is launched first, 3 CTAs where that is not known or too many, two threads a
// CTA, then less of either.
func sizeOf(grid, threads int64, cluster int, cooperative bool) Size {
	s := Size{Cluster: cluster, Cooperative: cooperative, grid: grid, threads: threads}
	var grids []int
	if grid > 0 && grid <= maxScheduled {
		grids = append(grids, int(grid))
	}
	if grid == 0 || grid > 3 {
		grids = append(grids, 3)
	}
	for _, g := range grids {
		g = (g + cluster - 1) / cluster * cluster
		if threads != 1 && 2*g <= maxScheduled {
			s.smallerOnes = append(s.smallerOnes, [2]int{g, 2})
		}
		if g <= maxScheduled {
			s.smallerOnes = append(s.smallerOnes, [2]int{g, 1})
		}
	}
	s.smaller()
	return s
}

// smaller goes on to the next size; false where there is none.
func (s *Size) smaller() bool {
	if len(s.smallerOnes) == 0 {
		return false
	}
	s.CTAs, s.Block = s.smallerOnes[0][0], s.smallerOnes[0][1]
	s.smallerOnes = s.smallerOnes[1:]
	return true
}

// Whole reports whether there are as many CTAs and threads as are launched.
func (s *Size) Whole() bool {
	return s.CTAs > 0 && s.grid == int64(s.CTAs) && s.threads == int64(s.Block)
}

// within says what answers hold for.
func (s *Size) within() string {
	say := func(what string, launched int64, used int) string {
		switch {
		case launched <= 0:
			return fmt.Sprintf("%s = %d, how many are launched is not known", what, used)
		case launched != int64(used):
			return fmt.Sprintf("%s = %d instead of %d", what, used, launched)
		}
		return fmt.Sprintf("%s = %d", what, used)
	}
	out := say("CTAs", s.grid, s.CTAs) + "; " + say("threads", s.threads, s.Block)
	if s.Cluster > 1 {
		out += fmt.Sprintf("; clusters of %d", s.Cluster)
	}
	if s.Cooperative {
		out += "; launched cooperatively"
	}
	return out
}
