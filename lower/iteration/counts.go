package iteration

import "github.com/fencepost-dev/fencepost/lower/value"

// Longest bounds the iterations of a loop that only computes or touches memory; a longer one is forgotten.
const Longest = 4096

// maxCounts bounds the different numbers of iterations of a loop without synchronization for which threads are told
// apart: warp groups that skip each other's stages, not threads that divide an array.
const maxCounts = 4

// FewCounts reports whether threads go round a loop in few different numbers of iterations, none of them too large.
func FewCounts(trips value.Lanes) bool {
	seen := map[int64]bool{}
	for _, n := range trips {
		if seen[n] = true; n > Longest || len(seen) > maxCounts {
			return false
		}
	}
	return true
}
