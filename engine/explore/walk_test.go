package explore

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// cores is that many idle cores.
func cores(n int) chan struct{} {
	idle := make(chan struct{}, n)
	for range n {
		idle <- struct{}{}
	}
	return idle
}

// walked is what a search says that takes a second walker at once, in batches of a size; with 0, one walker alone.
func walked(p *protocol.Protocol, lim engine.Limits, size int) (r *engine.Result, walkers int) {
	lim.Idle = cores(min(size, 1))
	s := newSearch(clockFor(context.Background(), lim), newJudge(p), lim, nil)
	if size > 0 {
		s.many, s.batch = 0, size
		s.recruit()
	}
	walkers = len(s.walkers)
	return s.run(), walkers
}

// TestWalkers: two walkers find what one finds: the same answers after the same states with the same traces, at every limit.
func TestWalkers(t *testing.T) {
	tried := 0
	same := func(name string, p *protocol.Protocol, lim engine.Limits) {
		want, one := walked(p, lim, 0)
		for _, size := range []int{1, 3, 64} {
			got, two := walked(p, lim, size)
			if one != 1 || two != 2 || !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %+v, batches of %d, %d walkers:\n%+v\nand %d:\n%+v", name, lim, size, two, got, one, want)
			}
		}
		tried++
	}
	EachRandom(0, 300, func(seed int, p *protocol.Protocol) {
		for _, lim := range []engine.Limits{{States: 5000}, {States: 60}, {States: 5000, Memory: 64 << 10}} {
			same(fmt.Sprint("seed ", seed), p, lim)
		}
	})
	for _, p := range []*protocol.Protocol{smoother(4, 3, alternate), smoother(4, 3, zero), ring(2, 5, 3), counter(3, 3), handoff(16, 4), conflicting(3, 9), counting(3, 20)} {
		same(p.Kernel, p, engine.Limits{})
		same(p.Kernel, p, engine.Limits{States: 3000})
	}
	if tried < 900 {
		t.Errorf("%d searches", tried)
	}
}

// TestWalkersTakeIdleCores: a second walker is there for a large search while a core is idle, and the core is given back.
func TestWalkersTakeIdleCores(t *testing.T) {
	for _, test := range []struct {
		p        *protocol.Protocol
		idle     chan struct{}
		walkers  int
		searches int
	}{
		{counting(4, 20), cores(1), 2, 2}, // twice: it was given back
		{counting(4, 20), cores(2), 2, 1},
		{counting(4, 20), cores(0), 1, 1},
		{counting(4, 20), nil, 1, 1},
		{counting(3, 10), cores(1), 1, 1}, // small
	} {
		for range test.searches {
			most, before := 0, len(test.idle)
			lim := engine.Limits{Idle: test.idle}
			s := newSearch(clockFor(context.Background(), lim), newJudge(test.p), lim, nil)
			s.begin()
			for i := 0; i < s.store.len(); {
				list := s.walk(i)
				most = max(most, len(list))
				for _, w := range list {
					for n := range w.upto {
						s.take(w, n, i)
						i++
					}
				}
			}
			s.release()
			if most != test.walkers || len(test.idle) != before {
				t.Errorf("%d walkers, want %d; %d cores are idle, want %d", most, test.walkers, len(test.idle), before)
			}
		}
	}
}

// BenchmarkWalkers compares one walker with two, on one search each time.
func BenchmarkWalkers(b *testing.B) {
	for _, c := range []struct {
		name string
		p    *protocol.Protocol
	}{{"smoother 2x8x3", smoother(8, 3, alternate)}, {"smoother 2x12x3", smoother(12, 3, alternate)}, {"handoff 64x8", handoff(64, 8)}, {"counting 4x25", counting(4, 25)}} {
		for idle := range 2 {
			b.Run(fmt.Sprintf("%s/%d", c.name, 1+idle), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					r := Search(context.Background(), c.p, engine.Limits{States: 1 << 22, Memory: 1 << 30, Idle: cores(idle)})
					b.ReportMetric(float64(r.States)/r.Elapsed.Seconds(), "states/s")
				}
			})
		}
	}
}
