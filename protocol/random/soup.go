package random

import (
	"math/rand/v2"

	"github.com/fencepost-dev/fencepost/protocol"
)

// soup is operations in any order. It draws from a few kinds only, so that they meet.
func soup(r *rand.Rand) *protocol.Protocol {
	p := start("soup", 1+r.IntN(2))
	p.Cluster = true
	for range 1 + r.IntN(2) {
		p.Mbars = append(p.Mbars, protocol.Mbarrier{Name: "b", CTA: r.IntN(p.CTAs), Count: 1 + r.IntN(4)})
	}
	for cta := range p.CTAs {
		p.Named = append(p.Named, protocol.Named{ID: 1, CTA: cta, Threads: r.IntN(5)})
	}
	p.Flags = []protocol.Flag{{Name: "f", Initial: r.IntN(3) - 1}}
	p.Buffers = []protocol.Buffer{{Name: "s", CTA: r.IntN(p.CTAs), Elements: 3}, {Name: "g", CTA: -1, Elements: 3}}
	kinds := map[protocol.Kind]bool{protocol.Arrive: true, protocol.Wait: true}
	for range 3 {
		kinds[protocol.Kind(r.IntN(protocol.Kinds))] = true
	}
	var menu []protocol.Kind
	for k := protocol.Init; int(k) < protocol.Kinds; k++ {
		if kinds[k] {
			menu = append(menu, k)
		}
	}
	for range 2 + r.IntN(3) {
		c := protocol.Class{Name: "c", CTA: r.IntN(p.CTAs), Count: 1 + r.IntN(3)}
		for range r.IntN(6) {
			c.Ops = append(c.Ops, operation(r, p, &c, menu[r.IntN(len(menu))]))
		}
		alternate(c.Ops)
		c.Blocks = make([][]protocol.Access, len(c.Ops)+1)
		for l := range c.Blocks {
			if chance(r, 4) {
				c.Blocks[l] = []protocol.Access{access(r, p, &c)}
			}
			if chance(r, 12) {
				c.Blocks[l] = append(c.Blocks[l], pending(r, access(r, p, &c)), divided(r, access(r, p, &c)))
				p.Across = []protocol.Crossing{{Less: 1, More: 2}}
			}
		}
		p.Classes = append(p.Classes, c)
	}
	return p
}

func access(r *rand.Rand, p *protocol.Protocol, c *protocol.Class) protocol.Access {
	a := protocol.Access{Buffer: r.IntN(len(p.Buffers)), Write: chance(r, 2), Site: r.IntN(2)}
	n := 1
	if chance(r, 2) {
		n = c.Count
	}
	for range n {
		lo := r.IntN(p.Buffers[a.Buffer].Elements)
		hi := lo + 1
		switch r.IntN(8) {
		case 0:
			hi = lo
		case 1:
			hi = p.Buffers[a.Buffer].Elements
		}
		a.Elements = append(a.Elements, protocol.Range{Lo: lo, Hi: hi})
	}
	return a
}

// pending makes an access one of a copy that its thread has not waited for.
func pending(r *rand.Rand, a protocol.Access) protocol.Access {
	a.Async, a.Pending = true, true
	return divided(r, a)
}

// divided may make an access one that threads divide, in one of two ways that give some element to two warps.
func divided(r *rand.Rand, a protocol.Access) protocol.Access {
	if chance(r, 3) {
		a.Parts, a.Share, a.Deal = protocol.ByThread, r.IntN(2), r.IntN(3)
	}
	return a
}

// operation is one of the kind, on objects that p has.
func operation(r *rand.Rand, p *protocol.Protocol, c *protocol.Class, k protocol.Kind) protocol.Op {
	o := protocol.Op{Kind: k}
	switch k {
	case protocol.Init, protocol.Wait:
		o.Object, o.Parity = r.IntN(len(p.Mbars)), r.IntN(2)
	case protocol.Arrive, protocol.ArriveExpectTx, protocol.ArriveDrop:
		o.Object, o.Count = r.IntN(len(p.Mbars)), 1+r.IntN(8)/7
		if k == protocol.ArriveExpectTx {
			o.Bytes = 1 + r.IntN(2)
		}
		if k == protocol.ArriveDrop {
			o.Bytes = r.IntN(4) / 3
		}
	case protocol.ExpectTx, protocol.CompleteTx:
		o.Object, o.Bytes = r.IntN(len(p.Mbars)), 1+r.IntN(2)
	case protocol.NamedArrive, protocol.NamedSync:
		o.Object = c.CTA // the only one there
	case protocol.FlagAdd:
		o.Object, o.Count = r.IntN(len(p.Flags)), 1-2*(r.IntN(8)/7)
	case protocol.FlagStore:
		o.Object, o.Count = r.IntN(len(p.Flags)), r.IntN(4)-1
	case protocol.Spin, protocol.FlagSwap:
		o.Object, o.Count, o.Value, o.Compare = r.IntN(len(p.Flags)), r.IntN(5)-1, 0, []string{"==", "!=", ">=", ">", "<=", "<", ">=", "=="}[r.IntN(8)]
		if k == protocol.FlagSwap {
			o.Value = r.IntN(4) - 1
		}
	case protocol.Issue:
		for _, m := range r.Perm(len(p.Mbars))[:r.IntN(len(p.Mbars)+1)] {
			o.Effects = append(o.Effects, protocol.Effect{Mbar: m, Bytes: r.IntN(3), Arrivals: r.IntN(2)})
		}
		if chance(r, 2) {
			o.Access = []protocol.Access{access(r, p, c)}
		}
	case protocol.Drain:
		for l := range c.Ops {
			if c.Ops[l].Kind == protocol.Issue && !chance(r, 3) {
				o.Drains = append(o.Drains, l)
			}
		}
	}
	return o
}

// alternate turns every other cluster operation into what must come there.
func alternate(ops []protocol.Op) {
	waiting := false
	for l := range ops {
		if k := ops[l].Kind; k == protocol.ClusterArrive || k == protocol.ClusterWait {
			ops[l].Kind = protocol.ClusterArrive
			if waiting {
				ops[l].Kind = protocol.ClusterWait
			}
			waiting = !waiting
		}
	}
}
