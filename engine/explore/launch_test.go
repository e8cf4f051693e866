package explore

import (
	"context"
	"testing"
	"time"

	"fmt"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// builder puts protocols of launch size together: kernels with roles, rings of stages and a cluster.
type builder struct {
	p     *protocol.Protocol
	warps map[[2]int]*lines // by CTA and warp
	order [][2]int
}

// lines is the program of one warp: what all lanes do, and what the elected one does besides.
type lines struct{ all, elected []protocol.Op }

// channel is a ring of stages in each CTA.
type channel struct{ full, empty []int } // by CTA and stage: cta*stages+stage

func newBuilder(name string, ctas int) *builder {
	return &builder{p: &protocol.Protocol{Kernel: name, CTAs: ctas, Cluster: ctas > 1}, warps: map[[2]int]*lines{}}
}

func (b *builder) mbar(name string, cta, count int) int {
	b.p.Mbars = append(b.p.Mbars, protocol.Mbarrier{Name: name, CTA: cta, Count: count})
	return len(b.p.Mbars) - 1
}

func (b *builder) named(id, cta, threads int) int {
	b.p.Named = append(b.p.Named, protocol.Named{ID: id, CTA: cta, Threads: threads})
	return len(b.p.Named) - 1
}

func (b *builder) buffer(name string, cta, elements int) int {
	b.p.Buffers = append(b.p.Buffers, protocol.Buffer{Name: name, CTA: cta, Elements: elements})
	return len(b.p.Buffers) - 1
}

// channel makes a ring with the counts its sides arrive with.
func (b *builder) channel(name string, stages, full, empty int) channel {
	var c channel
	for cta := range b.p.CTAs {
		for s := range stages {
			c.full = append(c.full, b.mbar(fmt.Sprintf("%s full[%d]", name, s), cta, full))
		}
		for s := range stages {
			c.empty = append(c.empty, b.mbar(fmt.Sprintf("%s empty[%d]", name, s), cta, empty))
		}
	}
	return c
}

// warp is the program of a warp.
func (b *builder) warp(cta, w int) *lines {
	k := [2]int{cta, w}
	if b.warps[k] == nil {
		b.warps[k] = &lines{}
		b.order = append(b.order, k)
	}
	return b.warps[k]
}

// all appends what every lane of a warp does, elect what one lane does: the warp converges before.
func (l *lines) do(ops ...protocol.Op) {
	l.all, l.elected = append(l.all, ops...), append(l.elected, ops...)
}

func (b *builder) elect(cta, w int, ops ...protocol.Op) {
	l := b.warp(cta, w)
	bar := -1
	for i, n := range b.p.Named {
		if n.CTA == cta && n.ID == protocol.WarpBarrier+w {
			bar = i
		}
	}
	if bar < 0 {
		bar = b.named(protocol.WarpBarrier+w, cta, 32)
	}
	l.do(protocol.Op{Kind: protocol.NamedSync, Object: bar})
	l.elected = append(l.elected, ops...)
}

// build makes the classes: warps that do the same become one, as in lower.
func (b *builder) build() *protocol.Protocol {
	type key struct {
		cta  int
		text string
	}
	at := map[key]int{}
	add := func(cta, count int, ops []protocol.Op) {
		k := key{cta, fmt.Sprint(ops)}
		if i, ok := at[k]; ok {
			b.p.Classes[i].Count += count
			return
		}
		at[k] = len(b.p.Classes)
		class(b.p, cta, count, ops...)
	}
	for _, k := range b.order {
		l := b.warps[k]
		if len(l.all) == len(l.elected) {
			add(k[0], 32, l.all)
			continue
		}
		add(k[0], 31, l.all)
		add(k[0], 1, l.elected)
	}
	return b.p
}

func sync(named int) protocol.Op { return protocol.Op{Kind: protocol.NamedSync, Object: named} }

// each calls do with the use, stage and phase of n uses of a ring.
func each(stages, first, n int, do func(stage, phase int)) {
	for i := first; i < first+n; i++ {
		do(i%stages, i/stages%2)
	}
}

// gemm is a persistent GEMM on Blackwell: a TMA warp, an MMA warp, four epilogue warps and an idle one; the MMA of a
// pair of CTAs is issued by the first. Bytes of both CTAs count on the leader's barrier.
func gemm(ctas, stages, k, tiles int) *protocol.Protocol {
	b := newBuilder(fmt.Sprintf("gemm of %d CTAs", ctas), ctas)
	v := min(ctas, 2)
	ab := b.channel("ab", stages, 1, 1)
	acc := b.channel("acc", 2, 1, 4*v)
	warps := 7
	var wide []int
	var smem []int
	for cta := range ctas {
		wide = append(wide, b.named(0, cta, 0))
		smem = append(smem, b.buffer("tiles", cta, 2*stages))
		b.named(1, cta, 128)
	}
	meet := func(cta, w int) {
		if ctas > 1 {
			b.warp(cta, w).do(protocol.Op{Kind: protocol.ClusterArrive}, protocol.Op{Kind: protocol.ClusterWait})
			return
		}
		b.warp(cta, w).do(sync(wide[cta]))
	}
	for cta := range ctas {
		leader := cta / v * v
		both := func(o int, from []int, n int) (out []protocol.Effect) {
			for c := leader; c < leader+v; c++ {
				out = append(out, protocol.Effect{Mbar: from[c*n+o], Arrivals: 1})
			}
			return out
		}
		for w := range warps {
			if w == 0 {
				var inits []protocol.Op
				for i, m := range b.p.Mbars {
					if m.CTA == cta {
						inits = append(inits, protocol.Op{Kind: protocol.Init, Object: i})
					}
				}
				b.elect(cta, 0, inits...)
			}
			meet(cta, w)
			switch {
			case w == 5:
				each(stages, 0, k*tiles, func(s, phase int) {
					b.warp(cta, w).do(wait(ab.empty[cta*stages+s], phase^1))
					full := ab.full[leader*stages+s]
					ops := []protocol.Op{}
					if cta == leader {
						ops = append(ops, protocol.Op{Kind: protocol.ArriveExpectTx, Object: full, Count: 1, Bytes: 2 * v})
					}
					for x := range 2 { // A and B
						ops = append(ops, protocol.Op{Kind: protocol.Issue, Effects: []protocol.Effect{{Mbar: full, Bytes: 1}},
							Access: []protocol.Access{{Buffer: smem[cta], Write: true, Elements: []protocol.Range{{Lo: 2*s + x, Hi: 2*s + x + 1}}}}})
					}
					b.elect(cta, w, ops...)
				})
				each(stages, k*tiles, stages, func(s, phase int) { b.warp(cta, w).do(wait(ab.empty[cta*stages+s], phase^1)) })
			case w == 4 && cta == leader:
				for t := range tiles {
					b.warp(cta, w).do(wait(acc.empty[cta*2+t%2], t/2%2^1))
					each(stages, t*k, k, func(s, phase int) {
						b.warp(cta, w).do(wait(ab.full[cta*stages+s], phase))
						var reads []protocol.Access
						for c := leader; c < leader+v; c++ {
							reads = append(reads, protocol.Access{Buffer: smem[c], Elements: []protocol.Range{{Lo: 2 * s, Hi: 2*s + 2}}})
						}
						b.elect(cta, w, protocol.Op{Kind: protocol.Issue, Effects: both(s, ab.empty, stages), Access: reads})
					})
					b.elect(cta, w, protocol.Op{Kind: protocol.Issue, Effects: both(t%2, acc.full, 2)})
				}
				each(2, tiles, 2, func(s, phase int) { b.warp(cta, w).do(wait(acc.empty[cta*2+s], phase^1)) })
			case w < 4:
				for t := range tiles {
					b.warp(cta, w).do(wait(acc.full[cta*2+t%2], t/2%2))
					for range 4 { // subtiles stored through shared memory
						b.warp(cta, w).do(sync(b.id(1, cta)), sync(b.id(1, cta)))
					}
					b.elect(cta, w, arrive(acc.empty[leader*2+t%2]))
				}
			}
			meet(cta, w)
		}
	}
	return b.build()
}

func (b *builder) id(id, cta int) int {
	for i, n := range b.p.Named {
		if n.ID == id && n.CTA == cta {
			return i
		}
	}
	return -1
}

// attention is a kernel of 16 warps and 13 pipelines: loads, two MMA chains, two softmax warp groups, a correction
// group, an epilogue.
func attention(blocks, tiles int) *protocol.Protocol {
	b := newBuilder("attention", 1)
	wide := b.named(0, 0, 0)
	q, kv := b.channel("q", 2, 1, 1), b.channel("kv", 3, 1, 1)
	var s, p, o, stats [2]channel
	for i := range 2 {
		s[i], p[i] = b.channel(fmt.Sprintf("s%d", i), 1, 1, 128), b.channel(fmt.Sprintf("p%d", i), 1, 128, 1)
		o[i], stats[i] = b.channel(fmt.Sprintf("o%d", i), 1, 1, 128), b.channel(fmt.Sprintf("stats%d", i), 1, 128, 128)
	}
	out := b.channel("out", 2, 128, 32)
	commit := func(o int) protocol.Op {
		return protocol.Op{Kind: protocol.Issue, Effects: []protocol.Effect{{Mbar: o, Arrivals: 1}}}
	}
	load := func(c channel, stages, i int) {
		st, ph := i%stages, i/stages%2
		b.warp(0, 13).do(wait(c.empty[st], ph^1))
		b.elect(0, 13, protocol.Op{Kind: protocol.ArriveExpectTx, Object: c.full[st], Count: 1, Bytes: 1},
			protocol.Op{Kind: protocol.Issue, Effects: []protocol.Effect{{Mbar: c.full[st], Bytes: 1}}})
	}
	var inits []protocol.Op
	for i := range b.p.Mbars {
		inits = append(inits, protocol.Op{Kind: protocol.Init, Object: i})
	}
	b.elect(0, 0, inits...)
	for w := range 16 {
		b.warp(0, w).do(sync(wide))
	}
	n := 0
	for t := range tiles {
		for i := range 2 {
			load(q, 2, 2*t+i)
		}
		m := b.warp(0, 12)
		for i := range 2 {
			m.do(wait(q.full[i], t%2))
		}
		for j := range blocks {
			load(kv, 3, 2*n)
			load(kv, 3, 2*n+1)
			k, v := 2*n, 2*n+1
			m.do(wait(kv.full[k%3], k/3%2))
			for i := range 2 {
				m.do(wait(s[i].empty[0], n%2^1))
				b.elect(0, 12, commit(s[i].full[0]))
			}
			b.elect(0, 12, commit(kv.empty[k%3]))
			m.do(wait(kv.full[v%3], v/3%2))
			for i := range 2 {
				m.do(wait(p[i].full[0], n%2), wait(o[i].empty[0], n%2^1))
				b.elect(0, 12, commit(o[i].full[0]), commit(p[i].empty[0]))
			}
			b.elect(0, 12, commit(kv.empty[v%3]))
			for i := range 2 {
				for w := 4 * i; w < 4*i+4; w++ {
					b.warp(0, w).do(wait(s[i].full[0], n%2), wait(stats[i].empty[0], n%2^1), arrive(stats[i].full[0]),
						wait(p[i].empty[0], n%2^1), arrive(p[i].full[0]), arrive(s[i].empty[0]))
				}
				for w := 8; w < 12; w++ {
					b.warp(0, w).do(wait(stats[i].full[0], n%2), arrive(stats[i].empty[0]), wait(o[i].full[0], n%2))
					if j == blocks-1 {
						b.warp(0, w).do(wait(out.empty[i], t%2^1), arrive(out.full[i]))
					}
					b.warp(0, w).do(arrive(o[i].empty[0]))
				}
			}
			n++
		}
		for i := range 2 {
			b.elect(0, 12, commit(q.empty[i]))
			b.warp(0, 14).do(wait(out.full[i], t%2), arrive(out.empty[i]))
		}
	}
	for w := range 16 {
		b.warp(0, w).do(sync(wide))
	}
	return b.build()
}

// TestLaunchSize: kernels as they are launched are decided by proof.
func TestLaunchSize(t *testing.T) {
	for _, p := range launchSize() {
		t.Run(p.Kernel, func(t *testing.T) {
			if err := p.Validate(); err != nil {
				t.Fatal(err)
			}
			r := Check(context.Background(), p, engine.Limits{Time: 20 * time.Second})
			ops := 0
			for _, c := range p.Classes {
				ops += len(c.Ops)
			}
			t.Logf("%d classes, %d operations, %s", len(p.Classes), ops, r.Elapsed)
			for _, prop := range protocol.Properties {
				if a := r.Properties[prop]; a.Verdict != engine.Holds {
					t.Errorf("%s: %s (%s)", prop, a.Verdict, a.Reason)
				}
			}
		})
	}
}

func launchSize() []*protocol.Protocol {
	return []*protocol.Protocol{gemm(1, 4, 9, 3), gemm(2, 4, 9, 3), gemm(2, 7, 15, 3), gemm(4, 4, 9, 3), attention(4, 2), attention(7, 3)}
}
