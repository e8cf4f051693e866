package combination

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// asks is a random program: what it asks for next hangs on the values before.
func asks(seed uint64, values map[string]int64, give func(Need) int64) string {
	path := ""
	for range 6 {
		r := rand.New(rand.NewPCG(seed, uint64(len(path))+17*sum(path)))
		if r.IntN(4) == 0 {
			break
		}
		key := fmt.Sprint("k", r.IntN(8))
		if _, known := values[key]; known {
			continue
		}
		values[key] = give(Need{Key: key})
		path += fmt.Sprint(key, "=", values[key], ";")
	}
	return path
}

func sum(s string) (n uint64) {
	for _, c := range []byte(s) {
		n = 31*n + uint64(c)
	}
	return n
}

// TestAhead: a combination is known ahead exactly where it was there before, and what is chosen ahead is what is given.
func TestAhead(t *testing.T) {
	repeated := 0
	for seed := range uint64(200) {
		var tree *Asked
		seen := map[string]bool{}
		for n := range 60 {
			r := rand.New(rand.NewPCG(seed, uint64(n)))
			row := map[string]int64{}
			for k := range 8 {
				row[fmt.Sprint("k", k)] = int64(r.IntN(3))
			}
			choose := func(n Need) int64 { return row[n.Key] }
			want := asks(seed, map[string]int64{}, choose)
			c := Choose(choose)
			known := c.Ahead(tree)
			if want != "" && known != seen[want] {
				t.Fatalf("seed %d, %s: known %v, seen %v", seed, want, known, seen[want])
			}
			if known {
				repeated++
				continue
			}
			if got := asks(seed, map[string]int64{}, c.Give); got != want {
				t.Fatalf("seed %d: gave %s, want %s", seed, got, want)
			}
			tree, seen[want] = c.Known(tree), true
		}
	}
	if repeated == 0 {
		t.Error("no combination came twice")
	}
}
