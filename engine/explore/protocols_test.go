package explore

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/protocol"
)

// op builds operations tersely.
func arrive(o int) protocol.Op { return protocol.Op{Kind: protocol.Arrive, Object: o, Count: 1} }
func wait(o, parity int) protocol.Op {
	return protocol.Op{Kind: protocol.Wait, Object: o, Parity: parity}
}

// class adds a class without accesses.
func class(p *protocol.Protocol, cta, count int, ops ...protocol.Op) *protocol.Class {
	p.Classes = append(p.Classes, protocol.Class{Name: fmt.Sprintf("class %d", len(p.Classes)), CTA: cta, Count: count, Ops: ops,
		Blocks: make([][]protocol.Access, len(ops)+1)})
	return &p.Classes[len(p.Classes)-1]
}

// smoother is two CTAs of n threads. In iteration i of k a thread arrives on its own gate and its peer's, and waits
// on its own for parity(i).
func smoother(n, k int, parity func(i int) int) *protocol.Protocol {
	p := &protocol.Protocol{Kernel: "smoother", CTAs: 2, Cluster: true, Mbars: []protocol.Mbarrier{{Name: "gate[0]", CTA: 0, Count: 2 * n}, {Name: "gate[1]", CTA: 1, Count: 2 * n}}}
	for cta := range 2 {
		var ops []protocol.Op
		for i := range k {
			ops = append(ops, arrive(cta), arrive(1-cta), wait(cta, parity(i)))
		}
		class(p, cta, n, ops...)
	}
	return p
}

func alternate(i int) int { return i % 2 }
func zero(int) int        { return 0 }

// ring is a TMA ring of the given stages and trips: one producer thread, n consumer threads.
func ring(stages, trips, n int) *protocol.Protocol {
	p := &protocol.Protocol{Kernel: "ring", CTAs: 1}
	for s := range stages {
		p.Mbars = append(p.Mbars, protocol.Mbarrier{Name: fmt.Sprintf("full[%d]", s), Count: 1})
		p.Buffers = append(p.Buffers, protocol.Buffer{Name: fmt.Sprintf("tile[%d]", s), Elements: 1})
	}
	for s := range stages {
		p.Mbars = append(p.Mbars, protocol.Mbarrier{Name: fmt.Sprintf("empty[%d]", s), Count: n})
	}
	var producer, consumer []protocol.Op
	all := []protocol.Range{{Lo: 0, Hi: 1}}
	for i := range trips {
		s, phase := i%stages, i/stages%2
		producer = append(producer, wait(stages+s, phase^1), protocol.Op{Kind: protocol.ArriveExpectTx, Object: s, Count: 1, Bytes: 64},
			protocol.Op{Kind: protocol.Issue, Effects: []protocol.Effect{{Mbar: s, Bytes: 64}}, Access: []protocol.Access{{Buffer: s, Write: true, Elements: all}}})
		consumer = append(consumer, wait(s, phase), arrive(stages+s))
	}
	class(p, 0, 1, producer...)
	c := class(p, 0, n, consumer...)
	for i := range trips {
		c.Blocks[2*i+1] = []protocol.Access{{Buffer: i % stages, Elements: all}}
	}
	return p
}

// counter publishes tiles by adding to a flag; the reader spins until its tile is there.
func counter(n, trips int) *protocol.Protocol {
	p := &protocol.Protocol{Kernel: "counter", CTAs: 2, Flags: []protocol.Flag{{Name: "ready"}}, Buffers: []protocol.Buffer{{Name: "tiles", CTA: -1, Elements: trips}}}
	var write, read []protocol.Op
	for i := range trips {
		write = append(write, protocol.Op{Kind: protocol.FlagAdd, Count: 1})
		read = append(read, protocol.Op{Kind: protocol.Spin, Compare: ">=", Count: i + 1})
	}
	class(p, 0, 1, write...)
	class(p, 1, n, read...)
	w, r := &p.Classes[0], &p.Classes[1]
	for i := range trips {
		tile := []protocol.Range{{Lo: i, Hi: i + 1}}
		w.Blocks[i] = []protocol.Access{{Write: true, Elements: tile}}
		r.Blocks[i+1] = []protocol.Access{{Elements: tile}}
	}
	return p
}

// handoff is two groups of threads of one CTA that hand a buffer back and forth with two named barriers.
func handoff(n, trips int) *protocol.Protocol {
	p := &protocol.Protocol{Kernel: "handoff", CTAs: 1, Named: []protocol.Named{{ID: 1, Threads: 2 * n}, {ID: 2, Threads: 2 * n}}, Buffers: []protocol.Buffer{{Name: "tile", Elements: n}}}
	var a, b []protocol.Op
	for range trips {
		a = append(a, protocol.Op{Kind: protocol.NamedArrive, Object: 0}, protocol.Op{Kind: protocol.NamedSync, Object: 1})
		b = append(b, protocol.Op{Kind: protocol.NamedSync, Object: 0}, protocol.Op{Kind: protocol.NamedArrive, Object: 1})
	}
	class(p, 0, n, a...)
	class(p, 0, n, b...)
	ca, cb := &p.Classes[0], &p.Classes[1]
	own := make([]protocol.Range, n)
	for i := range own {
		own[i] = protocol.Range{Lo: i, Hi: i + 1}
	}
	for i := range trips {
		ca.Blocks[2*i] = []protocol.Access{{Write: true, Elements: own}}
		cb.Blocks[2*i+1] = []protocol.Access{{Elements: []protocol.Range{{Lo: 0, Hi: n}}}}
	}
	return p
}
