package spin

import (
	"math/rand/v2"

	"github.com/fencepost-dev/fencepost/protocol"
)

// random makes a small valid protocol that uses every kind of operation, most of them more often wrong than right.
func random(r *rand.Rand) *protocol.Protocol {
	p := &protocol.Protocol{Kernel: "random", CTAs: 1 + r.IntN(2), Cluster: true}
	for range 1 + r.IntN(2) {
		p.Mbars = append(p.Mbars, protocol.Mbarrier{Name: hostile(r), CTA: r.IntN(p.CTAs), Count: 1 + r.IntN(3)})
	}
	for cta := range p.CTAs {
		p.Named = append(p.Named, protocol.Named{ID: r.IntN(16), CTA: cta, Threads: r.IntN(4)})
	}
	p.Flags = []protocol.Flag{{Name: hostile(r), Initial: r.IntN(3) - 1}}
	p.Buffers = []protocol.Buffer{{Name: hostile(r), CTA: r.IntN(p.CTAs+1) - 1, Elements: 4}}
	for range 2 + r.IntN(2) {
		p.Classes = append(p.Classes, randomClass(r, p))
	}
	return p
}

func randomClass(r *rand.Rand, p *protocol.Protocol) protocol.Class {
	c := protocol.Class{Name: hostile(r), CTA: r.IntN(p.CTAs), Count: 1 + r.IntN(3)}
	waiting := false // on the cluster barrier
	for l := range r.IntN(5) {
		o := protocol.Op{Kind: protocol.Kind(r.IntN(int(protocol.ArriveDrop) + 1)), Count: 1}
		switch o.Kind {
		case protocol.Init, protocol.Arrive, protocol.ArriveExpectTx, protocol.ArriveDrop, protocol.ExpectTx, protocol.CompleteTx, protocol.Wait:
			o.Object, o.Parity = r.IntN(len(p.Mbars)), r.IntN(2)
			o.Count = 1 + r.IntN(4)/3
			o.Bytes = 8 * r.IntN(2)
		case protocol.NamedArrive, protocol.NamedSync:
			o.Object = c.CTA
		case protocol.ClusterArrive, protocol.ClusterWait:
			o.Kind = protocol.ClusterArrive
			if waiting {
				o.Kind = protocol.ClusterWait
			}
			waiting = !waiting
		case protocol.FlagAdd, protocol.FlagStore, protocol.Spin:
			o.Count = r.IntN(4) - 1
			o.Compare = []string{"==", "!=", ">=", ">", "<=", "<"}[r.IntN(6)]
		case protocol.Issue:
			o.Access = randomAccess(r, p, c.Count)
			for _, m := range r.Perm(len(p.Mbars))[:r.IntN(len(p.Mbars)+1)] {
				o.Effects = append(o.Effects, protocol.Effect{Mbar: m, Bytes: 8 * r.IntN(2), Arrivals: r.IntN(2)})
			}
		case protocol.Drain:
			for d := range l {
				if c.Ops[d].Kind == protocol.Issue {
					o.Drains = append(o.Drains, d)
				}
			}
		}
		c.Ops = append(c.Ops, o)
	}
	for range len(c.Ops) + 1 {
		c.Blocks = append(c.Blocks, randomAccess(r, p, c.Count))
	}
	return c
}

func randomAccess(r *rand.Rand, p *protocol.Protocol, count int) []protocol.Access {
	if r.IntN(3) > 0 {
		return nil
	}
	a := protocol.Access{Write: r.IntN(2) == 0}
	n := 1
	if r.IntN(2) == 0 {
		n = count
	}
	for range n {
		lo := r.IntN(4)
		a.Elements = append(a.Elements, protocol.Range{Lo: lo, Hi: lo + r.IntN(5-lo)})
	}
	return []protocol.Access{a}
}

// hostile is a name as a stranger might choose it.
func hostile(r *rand.Rand) string {
	return []string{"gate", "c_code{system(\"id\");}", "*/ #include \"/etc/passwd\"", "a\\\n#define linux 1", "$(id)", "'\"`", "\x00\xff", "ＧＡＴＥ"}[r.IntN(8)]
}
