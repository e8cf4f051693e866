package certificate

import (
	"math/rand/v2"
	"testing"

	"github.com/fencepost-dev/fencepost/protocol"
)

// TestMeet compares meet and within with a look at every element.
func TestMeet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	list := func(n int) (out []protocol.Range) {
		for range n {
			lo := r.IntN(24)
			out = append(out, protocol.Range{Lo: lo, Hi: lo + r.IntN(4)})
		}
		return out
	}
	met := 0
	for range 20000 {
		n := 1 + r.IntN(6)
		x, y := list([]int{1, n}[r.IntN(2)]), list([]int{1, n}[r.IntN(2)])
		for _, who := range []whose{own, others, anyone} {
			want, inside := false, false
			for i, a := range x {
				for j, b := range y {
					same := who == anyone || len(x) == 1 || len(y) == 1 || (who == own) == (i == j)
					common := 0
					for e := a.Lo; e < a.Hi; e++ {
						if b.Lo <= e && e < b.Hi {
							common++
						}
					}
					want = want || same && common > 0
					inside = inside || same && common > 0 && common == a.Hi-a.Lo
				}
			}
			if want {
				met++
			}
			if got := meet(x, y, who); got != want {
				t.Fatalf("meet(%v, %v, %d) is %t, want %t", x, y, who, got, want)
			}
			if got := within(x, y, who); got != inside {
				t.Fatalf("within(%v, %v, %d) is %t, want %t", x, y, who, got, inside)
			}
		}
	}
	if met < 1000 {
		t.Errorf("only %d meet", met)
	}
}
