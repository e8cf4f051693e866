package agree

import "github.com/fencepost-dev/fencepost/protocol"

// Split gives every thread a class of its own, so that nothing is counted.
func Split(p *protocol.Protocol) *protocol.Protocol {
	q := *p
	q.Classes = nil
	own := func(as []protocol.Access, t int) []protocol.Access {
		var out []protocol.Access
		for _, a := range as {
			if len(a.Elements) > 1 {
				a.Elements = a.Elements[t : t+1]
			}
			out = append(out, a)
		}
		return out
	}
	for _, c := range p.Classes {
		for t := range c.Count {
			d := protocol.Class{Name: c.Name, CTA: c.CTA, Count: 1}
			for _, o := range c.Ops {
				o.Access = own(o.Access, t)
				d.Ops = append(d.Ops, o)
			}
			for _, b := range c.Blocks {
				d.Blocks = append(d.Blocks, own(b, t))
			}
			q.Classes = append(q.Classes, d)
		}
	}
	return &q
}

// sameIntent reports whether the canonical execution of the split protocol gives every wait and arrival the phase it
// has in the counted one: only then do Phase and Attribution mean the same.
func sameIntent(p, q *protocol.Protocol) bool {
	x, y := protocol.Canonical(p), protocol.Canonical(q)
	d := 0
	for c := range p.Classes {
		for range p.Classes[c].Count {
			for l := range p.Classes[c].Ops {
				if x.Wait[c][l] != y.Wait[d][l] {
					return false
				}
				for i, s := range x.Credit[c][l] {
					if s != y.Credit[d][l][i] || s.First != s.Last {
						return false
					}
				}
			}
			d++
		}
	}
	return true
}
