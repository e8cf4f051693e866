package spin

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/protocol"
)

// Protocols made by hand, each right or wrong in a known way.

func class(cta, count int, ops ...protocol.Op) protocol.Class {
	return protocol.Class{Name: fmt.Sprintf("%d threads of CTA %d", count, cta), CTA: cta, Count: count, Ops: ops, Blocks: make([][]protocol.Access, len(ops)+1)}
}

func arrive(m int) protocol.Op { return protocol.Op{Kind: protocol.Arrive, Object: m, Count: 1} }

func wait(m, parity int) protocol.Op {
	return protocol.Op{Kind: protocol.Wait, Object: m, Parity: parity}
}

func expect(m, bytes int) protocol.Op {
	return protocol.Op{Kind: protocol.ArriveExpectTx, Object: m, Count: 1, Bytes: bytes}
}

func op(k protocol.Kind, object int) protocol.Op { return protocol.Op{Kind: k, Object: object} }

func flag(k protocol.Kind, compare string, value int) protocol.Op {
	return protocol.Op{Kind: k, Compare: compare, Count: value}
}

func touch(write bool, buffer, lo, hi int) protocol.Access {
	return protocol.Access{Write: write, Buffer: buffer, Elements: []protocol.Range{{Lo: lo, Hi: hi}}}
}

// smoother is a pair of CTAs that trade halos: every iteration each thread arrives on its own gate and on the peer's
// and waits for its own. The phase it waits for is the iteration's parity, or literally 0.
func smoother(threads, iterations int, literal bool) *protocol.Protocol {
	p := &protocol.Protocol{Kernel: "smoother", CTAs: 2, Cluster: true}
	for cta := range 2 {
		p.Mbars = append(p.Mbars, protocol.Mbarrier{Name: fmt.Sprintf("gate of CTA %d", cta), CTA: cta, Count: 2 * threads})
		ops := []protocol.Op{op(protocol.ClusterArrive, 0), op(protocol.ClusterWait, 0)}
		for i := range iterations {
			parity := i % 2
			if literal {
				parity = 0
			}
			ops = append(ops, arrive(cta), arrive(1-cta), wait(cta, parity))
		}
		ops = append(ops, op(protocol.ClusterArrive, 0), op(protocol.ClusterWait, 0))
		p.Classes = append(p.Classes, class(cta, threads, ops...))
	}
	return p
}

// ring is a producer that copies tiles into slots and a consumer group that reads them, by the usual pair of barriers
// a slot. The consumers release a slot before they read it when hasty is set.
func ring(slots, tiles, consumers int, hasty bool) *protocol.Protocol {
	p := &protocol.Protocol{Kernel: "ring", CTAs: 1, Buffers: []protocol.Buffer{{Name: "tile", Elements: slots}}}
	for s := range slots {
		p.Mbars = append(p.Mbars, protocol.Mbarrier{Name: fmt.Sprintf("full[%d]", s), Count: 1})
	}
	for s := range slots {
		p.Mbars = append(p.Mbars, protocol.Mbarrier{Name: fmt.Sprintf("empty[%d]", s), Count: consumers})
	}
	var producer, consumer []protocol.Op
	blocks := [][]protocol.Access{nil}
	for i := range tiles {
		s, round := i%slots, i/slots
		producer = append(producer, wait(slots+s, 1-round%2), expect(s, 64), protocol.Op{Kind: protocol.Issue,
			Effects: []protocol.Effect{{Mbar: s, Bytes: 64}}, Access: []protocol.Access{touch(true, 0, s, s+1)}})
		consumer = append(consumer, wait(s, round%2), arrive(slots+s))
		read := []protocol.Access{touch(false, 0, s, s+1)}
		if hasty {
			blocks = append(blocks, nil, read)
		} else {
			blocks = append(blocks, read, nil)
		}
	}
	p.Classes = []protocol.Class{class(0, 1, producer...), class(0, consumers, consumer...)}
	p.Classes[1].Blocks = blocks
	return p
}

// named is a producer group that arrives on one named barrier and waits at another, and a consumer group opposite it.
func named(count int) *protocol.Protocol {
	p := &protocol.Protocol{Kernel: "named", CTAs: 1, Named: []protocol.Named{{ID: 1, Threads: count}, {ID: 2, Threads: count}, {ID: 0}}}
	p.Classes = []protocol.Class{
		class(0, 2, op(protocol.NamedArrive, 0), op(protocol.NamedSync, 1), op(protocol.NamedSync, 2)),
		class(0, 2, op(protocol.NamedSync, 0), op(protocol.NamedArrive, 1)),
		class(0, 1, op(protocol.NamedSync, 2)),
	}
	return p
}

// issuedEarly is an operation that may be in flight before the mbarrier that it completes on is initialised.
func issuedEarly() *protocol.Protocol {
	p := &protocol.Protocol{Kernel: "issued early", CTAs: 1, Mbars: []protocol.Mbarrier{{Name: "full", Count: 1}}}
	p.Classes = []protocol.Class{
		class(0, 1, op(protocol.Init, 0), expect(0, 8)),
		class(0, 1, protocol.Op{Kind: protocol.Issue, Effects: []protocol.Effect{{Bytes: 8}}}),
	}
	return p
}

// relayed is a thread that spins and one that waits for it at a barrier. With answered set, a third writes the flag
// behind that barrier: then the three wait for one another.
func relayed(answered bool) *protocol.Protocol {
	p := &protocol.Protocol{Kernel: "relayed", CTAs: 1, Flags: []protocol.Flag{{Name: "done"}}, Named: []protocol.Named{{ID: 1, Threads: 2}}}
	meet := protocol.Op{Kind: protocol.NamedSync}
	p.Classes = []protocol.Class{class(0, 1, flag(protocol.Spin, ">=", 1), meet), class(0, 1, meet)}
	if answered {
		p.Classes[1] = class(0, 1, meet, flag(protocol.FlagAdd, "", 1))
	}
	return p
}

// counter is a group that publishes by counting up and one thread that spins until all have.
func counter(publishers, awaited int) *protocol.Protocol {
	p := &protocol.Protocol{Kernel: "counter", CTAs: 2, Flags: []protocol.Flag{{Name: "done"}},
		Buffers: []protocol.Buffer{{Name: "partials", CTA: -1, Elements: publishers}}}
	p.Classes = []protocol.Class{
		class(0, publishers, flag(protocol.FlagAdd, "", 1)),
		class(1, 1, flag(protocol.Spin, ">=", awaited)),
	}
	write := protocol.Access{Write: true}
	for t := range publishers {
		write.Elements = append(write.Elements, protocol.Range{Lo: t, Hi: t + 1})
	}
	p.Classes[0].Blocks[0] = []protocol.Access{write}
	p.Classes[1].Blocks[1] = []protocol.Access{touch(false, 0, 0, publishers)}
	return p
}
