package memory

import (
	"math/rand/v2"
	"testing"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// TestResidues: two threads of one part never have an element in common, whatever rounds they are in.
func TestResidues(t *testing.T) {
	type access struct {
		threads     []int64
		rest        value.Lanes
		width, each int64
	}
	r := rand.New(rand.NewPCG(3, 4))
	parts := map[string]map[int64][]access{}
	for range 40_000 {
		var a access
		first := int64(r.IntN(4))
		for i := range int64(1 + r.IntN(6)) {
			a.threads = append(a.threads, first+i)
		}
		step, from := int64(r.IntN(5)-1), int64(r.IntN(9)-4)
		a.width, a.each = int64(1+r.IntN(3)), int64(r.IntN(24))
		for _, th := range a.threads {
			n := step*th + from
			if r.IntN(40) == 0 {
				n++
			}
			if a.each > 0 {
				n = (n%a.each + a.each) % a.each
			}
			a.rest = append(a.rest, n)
		}
		var at value.Value = a.rest
		if a.each > 0 {
			at = value.Data{Of: &value.Congruence{Rest: a.rest, Modulus: a.each}}
		}
		if by, ahead, ok := Residues(at, a.threads, a.width); ok {
			if parts[by] == nil {
				parts[by] = map[int64][]access{}
			}
			if list := parts[by][ahead]; len(list) < 60 {
				parts[by][ahead] = append(list, a)
			}
		}
	}
	pairs := 0
	for by, of := range parts {
		for ahead, list := range of {
			for _, a := range list {
				for _, b := range list {
					for i, th := range a.threads {
						for j, other := range b.threads {
							for round := int64(-3); round <= 3 && th != other; round++ {
								x, y := a.rest[i], b.rest[j]+round*b.each
								if pairs++; x < y+b.width && y < x+a.width {
									t.Fatalf("%s, %d ahead: thread %d from %d and thread %d from %d", by, ahead, th, x, other, y)
								}
							}
						}
					}
				}
			}
		}
	}
	if pairs < 100_000 {
		t.Errorf("only %d pairs", pairs)
	}
}
