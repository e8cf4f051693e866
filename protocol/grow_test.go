package protocol

import (
	"fmt"
	"slices"
	"testing"
)

// TestGrow puts rounds into a loop in another, and two rounds at a time of the other with the loop in them: a copy is issued
// in each inner round and drained in the next, and an arrival ends the round of the outer loop. The loops are in order
// afterwards, so that the grown can grow again.
func TestGrow(t *testing.T) {
	made := func(tiles, k int) *Protocol {
		p := &Protocol{Values: map[string]string{"tiles": fmt.Sprint(tiles), "k": fmt.Sprint(k)}, Mbars: []Mbarrier{{Count: 1}},
			Repeats: []Repeat{{"k", 1, 2}, {"tiles", 2, 2}}}
		c := Class{Count: 1, Threads: []int{0}}
		outer := Loop{Unknown: "tiles", Lead: 0}
		p.Loops = append(p.Loops, outer)
		for range tiles {
			outer.Heads = append(outer.Heads, len(c.Ops))
			inner := Loop{Unknown: "k", Lead: 2}
			for i := range k {
				inner.Heads = append(inner.Heads, len(c.Ops))
				c.Ops = append(c.Ops, Op{Kind: Issue})
				if i > 0 {
					c.Ops = append(c.Ops, Op{Kind: Drain, Drains: []int{len(c.Ops) - 2 - min(i-1, 1)}})
				}
			}
			inner.Heads = append(inner.Heads, len(c.Ops))
			p.Loops = append(p.Loops, inner)
			c.Ops = append(c.Ops, Op{Kind: Arrive, Count: 1})
		}
		outer.Heads = append(outer.Heads, len(c.Ops))
		p.Loops[0] = outer
		c.Blocks = make([][]Access, len(c.Ops)+1)
		p.Classes = []Class{c}
		return p
	}
	for _, order := range [][2]int{{0, 1}, {1, 0}} {
		p := made(2, 4)
		for _, i := range order {
			for range 1 + i {
				if p = p.Grow(p.Repeats[i].Unknown, p.Repeats[i].Period); p == nil {
					t.Fatalf("order %v: it does not grow with unknown %d", order, i)
				}
			}
		}
		want := made(6, 5)
		if p.Digest() != want.Digest() || p.Values["k"] != "5" || p.Values["tiles"] != "6" {
			t.Errorf("order %v: %v %v\nwant %v", order, p.Values, p.Classes[0].Ops, want.Classes[0].Ops)
		}
		if !slices.EqualFunc(p.Loops, want.Loops, func(a, b Loop) bool {
			return a.Unknown == b.Unknown && a.Lead == b.Lead && slices.Equal(a.Heads, b.Heads)
		}) {
			t.Errorf("order %v: loops %v, want %v", order, p.Loops, want.Loops)
		}
	}
}
