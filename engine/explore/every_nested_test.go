package explore

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// author writes the operations of one class, and where its loops are.
type author struct {
	p     *protocol.Protocol
	class int
}

func newAuthor(p *protocol.Protocol, count int) *author {
	class(p, 0, count)
	return &author{p, len(p.Classes) - 1}
}

func (a *author) do(ops ...protocol.Op) {
	k := &a.p.Classes[a.class]
	for _, o := range ops {
		k.Ops, k.Blocks = append(k.Ops, o), append(k.Blocks, nil)
	}
}

func (a *author) touch(buffer int, write bool) {
	k := &a.p.Classes[a.class]
	k.Blocks[len(k.Ops)] = append(k.Blocks[len(k.Ops)], protocol.Access{Buffer: buffer, Write: write, Elements: []protocol.Range{{Lo: 0, Hi: 1}}})
}

// loop writes n rounds.
func (a *author) loop(unknown string, n int, round func(i int)) {
	l := protocol.Loop{Unknown: unknown, Class: a.class, Lead: a.p.Repeats[0].Least - a.p.Repeats[0].Period}
	at := len(a.p.Loops)
	a.p.Loops = append(a.p.Loops, l)
	for i := range n {
		l.Heads = append(l.Heads, len(a.p.Classes[a.class].Ops))
		round(i)
	}
	l.Heads = append(l.Heads, len(a.p.Classes[a.class].Ops))
	a.p.Loops[at] = l
}

// multiple is the least common multiple.
func multiple(a, b int) int { return a / common(a, b) * b }

// tiled is the skeleton of a persistent GEMM: a producer fills a ring, k stages a tile; a multiplier reads it and hands the
// tile's accumulator to an epilogue.
type tiled struct {
	stages, accumulators, epilogue int
	hardPhase, noRelease, early    bool // faults: of the accumulators, of them in the second tile, read before the wait
}

func (s tiled) at(k, tiles int) *protocol.Protocol {
	p := &protocol.Protocol{Kernel: "tiled", CTAs: 1, Values: map[string]string{"tiles": fmt.Sprint(tiles)}}
	if tiles > 0 {
		p.Values["k"] = fmt.Sprint(k)
	}
	for i := range 2 * s.stages {
		p.Mbars = append(p.Mbars, protocol.Mbarrier{Name: fmt.Sprintf("ring[%d]", i), Count: 1})
	}
	full, empty, done, free := 0, s.stages, 2*s.stages, 2*s.stages+s.accumulators
	for i := range 2 * s.accumulators {
		count := 1
		if i >= s.accumulators {
			count = s.epilogue
		}
		p.Mbars = append(p.Mbars, protocol.Mbarrier{Name: fmt.Sprintf("accumulator[%d]", i), Count: count})
	}
	for i := range s.stages + s.accumulators {
		p.Buffers = append(p.Buffers, protocol.Buffer{Name: fmt.Sprintf("tile[%d]", i), Elements: 1})
	}
	p.Repeats = []protocol.Repeat{{Unknown: "tiles", Period: multiple(2*s.accumulators, 2*s.stages/common(2*s.stages, k))}, {Unknown: "k", Period: 2 * s.stages}}
	for i := range p.Repeats {
		p.Repeats[i].Least = p.Repeats[i].Period
	}
	if s.noRelease { // the accesses behind a round's last operation stand in front of the next round's first
		p.Repeats[0].Least, p.Repeats[1].Least = p.Repeats[0].Period+1, p.Repeats[1].Period+1
	}
	load, multiply, store := newAuthor(p, 1), newAuthor(p, 1), newAuthor(p, s.epilogue)
	step := 0
	load.loop("tiles", tiles, func(int) {
		load.loop("k", k, func(int) {
			at, phase := step%s.stages, step/s.stages%2
			load.do(wait(empty+at, phase^1))
			load.touch(at, true)
			load.do(arrive(full + at))
			step++
		})
	})
	step = 0
	multiply.loop("tiles", tiles, func(t int) {
		acc, phase := t%s.accumulators, t/s.accumulators%2
		multiply.do(wait(free+acc, phase^1))
		multiply.loop("k", k, func(int) {
			at, phase := step%s.stages, step/s.stages%2
			multiply.do(wait(full+at, phase))
			multiply.touch(at, false)
			multiply.touch(s.stages+acc, true)
			multiply.do(arrive(empty + at))
			step++
		})
		multiply.do(arrive(done + acc))
	})
	store.loop("tiles", tiles, func(t int) {
		acc, phase := t%s.accumulators, t/s.accumulators%2
		if s.hardPhase {
			phase = 0
		}
		if s.early {
			store.touch(s.stages+acc, false)
		}
		store.do(wait(done+acc, phase))
		store.touch(s.stages+acc, false)
		if !s.noRelease || t%2 == 0 {
			store.do(arrive(free + acc))
		}
	})
	return p
}

func (s tiled) family() Family {
	return Family{Unknowns: []string{"k", "tiles"}, From: []int{0, 0}, At: func(v []int) (*protocol.Protocol, error) { return s.at(v[0], v[1]), nil }}
}

func TestEveryTile(t *testing.T) {
	for _, s := range []tiled{{stages: 2, accumulators: 1, epilogue: 128}, {stages: 2, accumulators: 2, epilogue: 2}, {stages: 3, accumulators: 1, epilogue: 4}, {stages: 4, accumulators: 2, epilogue: 128}} {
		w := Every(context.Background(), certifying(t, s.family()), engine.Limits{})
		all, _ := w.holds()
		for _, prop := range protocol.Properties {
			if !all[prop] {
				t.Fatalf("%+v: %s: %s", s, prop, w.Reason)
			}
		}
		t.Logf("%+v: %d members, %d states", s, len(w.Members), w.States)
		r := rand.New(rand.NewSource(1))
		for range 20 {
			k, tiles := r.Intn(30), r.Intn(30)
			if got := Check(context.Background(), s.at(k, tiles), engine.Limits{}); got.Wrong() || !got.Complete {
				t.Errorf("%+v: k = %d, tiles = %d is wrong", s, k, tiles)
			}
		}
	}
	for _, s := range []tiled{{stages: 2, accumulators: 1, epilogue: 2, hardPhase: true}, {stages: 2, accumulators: 2, epilogue: 2, noRelease: true}, {stages: 2, accumulators: 2, epilogue: 2, early: true}} {
		w := Every(context.Background(), certifying(t, s.family()), engine.Limits{})
		_, wrong := w.holds()
		if !wrong || w.Reason == "" {
			t.Fatalf("%+v: nothing is wrong: %s", s, w.Reason)
		}
		t.Logf("%+v: wrong for %v", s, w.Members[len(w.Members)-1].Values)
	}
}

// TestGrow grows instances by rounds of either loop, and compares them with those that are written with more rounds.
func TestGrow(t *testing.T) {
	loops := func(p *protocol.Protocol) []string {
		var out []string
		for _, l := range p.Loops {
			if l.Heads[0] < l.Heads[len(l.Heads)-1] {
				out = append(out, fmt.Sprint(l))
			}
		}
		slices.Sort(out)
		return out
	}
	for _, s := range []tiled{{stages: 2, accumulators: 1, epilogue: 3}, {stages: 3, accumulators: 2, epilogue: 2}, {stages: 2, accumulators: 2, epilogue: 2, noRelease: true}} {
		for k := 1; k < 14; k++ {
			for tiles := 1; tiles < 14; tiles++ {
				p := s.at(k, tiles)
				for _, r := range p.Repeats {
					more := map[string]int{"k": k, "tiles": tiles}
					if more[r.Unknown] < r.Least {
						continue
					}
					more[r.Unknown] += r.Period
					want, got := s.at(more["k"], more["tiles"]), p.Grow(r.Unknown, r.Period)
					if got == nil || got.Digest() != want.Digest() || got.Values[r.Unknown] != want.Values[r.Unknown] || !slices.Equal(loops(got), loops(want)) {
						t.Fatalf("%+v: k = %d, tiles = %d does not grow by %d of %s:\n%v\n%v", s, k, tiles, r.Period, r.Unknown, got.Loops, want.Loops)
					}
				}
			}
		}
	}
	p := ring(2, 5, 1)
	rounds(p, 5, 4)
	p.Loops[0].Heads = p.Loops[0].Heads[:3]
	if p.Grow("n", 4) != nil {
		t.Error("a loop of two rounds grows by four")
	}
}
