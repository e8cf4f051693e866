package explore

import (
	"fmt"
	"os"
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/protocol/random"
)

// clusterCopy initialises barriers, meets in the cluster barrier, and copies into the peer.
func clusterCopy(n, trips int) *protocol.Protocol {
	p := &protocol.Protocol{Kernel: "cluster copy", CTAs: 2, Cluster: true}
	for cta := range 2 {
		p.Mbars = append(p.Mbars, protocol.Mbarrier{Name: "landed", CTA: cta, Count: 1})
		p.Named = append(p.Named, protocol.Named{CTA: cta})
		p.Buffers = append(p.Buffers, protocol.Buffer{Name: "slot", CTA: cta, Elements: trips})
	}
	meet := []protocol.Op{{Kind: protocol.ClusterArrive}, {Kind: protocol.ClusterWait}}
	for cta := range 2 {
		lead := slices.Concat([]protocol.Op{{Kind: protocol.Init, Object: cta}}, meet)
		rest := slices.Clone(meet)
		for i := range trips {
			at := []protocol.Range{{Lo: i, Hi: i + 1}}
			lead = append(lead, protocol.Op{Kind: protocol.ArriveExpectTx, Object: cta, Count: 1, Bytes: 4}, protocol.Op{Kind: protocol.Issue,
				Effects: []protocol.Effect{{Mbar: 1 - cta, Bytes: 4}}, Access: []protocol.Access{{Buffer: 1 - cta, Write: true, Elements: at}}},
				wait(cta, i%2), protocol.Op{Kind: protocol.NamedSync, Object: cta})
			rest = append(rest, wait(cta, i%2), protocol.Op{Kind: protocol.NamedSync, Object: cta})
		}
		class(p, cta, 1, append(lead, meet...)...)
		class(p, cta, n, append(rest, meet...)...)
		c := &p.Classes[len(p.Classes)-1]
		for i := range trips {
			c.Blocks[3+2*i] = []protocol.Access{{Buffer: cta, Elements: []protocol.Range{{Lo: i, Hi: i + 1}}}}
		}
	}
	return p
}

// EachRandom calls do with the protocols of some seeds.
func EachRandom(first, count int, do func(seed int, p *protocol.Protocol)) {
	for seed := first; seed < first+count; seed++ {
		do(seed, random.Protocol(seed))
	}
}

// Broken lists broken protocols of launch size.
func Broken() []*protocol.Protocol {
	early := ring(3, 12, 128)
	early.Classes[1].Ops[4].Parity ^= 1
	short := ring(3, 12, 128)
	short.Classes[0].Ops[4].Bytes = 32
	open := handoff(128, 6)
	open.Classes[1].Ops[3].Kind = protocol.Drain
	return []*protocol.Protocol{smoother(128, 30, alternate), smoother(128, 30, zero), early, short, open}
}

// seeds lets a longer run be asked for: SEEDS=first,count.
func seeds(first, count int) (int, int) {
	if s := os.Getenv("SEEDS"); s != "" {
		fmt.Sscanf(s, "%d,%d", &first, &count)
	}
	return first, count
}
