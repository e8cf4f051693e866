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

// Apart is by how much a number has gone on, where that is known: also if it began as an unknown.
func Apart(from, to value.Value) (step int64, ok bool) {
	if x, is := from.(value.Symbol); is {
		y, is := to.(value.Symbol)
		d := value.Linear{Terms: map[string]int64{}, Exprs: map[string]*value.Expr{}, Resolve: func(*value.Expr, bool) int64 { return 1 << 20 }}
		is = is && d.Add(y.Expr, 1, 0) && d.Add(x.Expr, -1, 0) && len(d.Terms) == 0
		return d.Plus, is
	}
	n, ok := value.Binary("-", to, from).(value.Int)
	return int64(n), ok
}
