package random

import (
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// Shrink looks for the smallest protocol that is bad, beginning with one that is: it takes the first smaller one that
// still is, again and again, until none is left. It changes nothing in p.
func Shrink(p *protocol.Protocol, bad func(*protocol.Protocol) bool) *protocol.Protocol {
	for {
		q := smaller(p, bad)
		if q == nil {
			return p
		}
		p = q
	}
}

// smaller is a protocol made of p by one change that is bad and smaller, nil without one.
func smaller(p *protocol.Protocol, bad func(*protocol.Protocol) bool) *protocol.Protocol {
	least := size(p)
	try := func(change func(q *protocol.Protocol)) *protocol.Protocol {
		q := Clone(p)
		change(q)
		if size(q) < least && q.Validate() == nil && bad(q) {
			return q
		}
		return nil
	}
	changes := slices.Concat(classChanges(p), opChanges(p), countChanges(p), objectChanges(p))
	for _, change := range changes {
		if q := try(change); q != nil {
			return q
		}
	}
	// What holds a protocol together is often two things: an arrival and the count that expects it. The one that comes
	// later in the lists, and so in the protocol, goes first: it does not move the other.
	changes = slices.Concat(opChanges(p), countChanges(p))
	for i := range changes {
		for j := range i {
			if q := try(func(q *protocol.Protocol) { changes[i](q); changes[j](q) }); q != nil {
				return q
			}
		}
	}
	return nil
}

// change is one way to make a protocol smaller.
type change = func(q *protocol.Protocol)

// classChanges leave out classes, threads and CTAs.
func classChanges(p *protocol.Protocol) (out []change) {
	for c := range p.Classes {
		out = append(out, func(q *protocol.Protocol) { q.Classes = slices.Delete(q.Classes, c, c+1) })
	}
	for c := range p.Classes {
		n := p.Classes[c].Count
		for _, m := range []int{1, n / 2, n - 1} {
			if m >= 1 && m < n {
				out = append(out, func(q *protocol.Protocol) { resize(&q.Classes[c], m) },
					func(q *protocol.Protocol) { resize(&q.Classes[c], m); expectFewer(q, c, n-m) })
			}
		}
	}
	return append(out, func(q *protocol.Protocol) {
		for c := range q.Classes {
			q.Classes[c].CTA = 0
		}
		for i := range q.Mbars {
			q.Mbars[i].CTA = 0
		}
		for i := range q.Named {
			q.Named[i].CTA = 0
		}
		for i := range q.Buffers {
			q.Buffers[i].CTA = min(q.Buffers[i].CTA, 0)
		}
		q.CTAs = 1
	})
}

// resize changes the number of threads of a class.
func resize(c *protocol.Class, n int) {
	c.Count, c.Threads = n, nil
	cut := func(list []protocol.Access) {
		for i := range list {
			if len(list[i].Elements) > 1 {
				list[i].Elements = list[i].Elements[:n]
			}
		}
	}
	for l := range c.Ops {
		cut(c.Ops[l].Access)
	}
	for l := range c.Blocks {
		cut(c.Blocks[l])
	}
}

// expectFewer takes threads of a class off the counts of the barriers that it comes to.
func expectFewer(q *protocol.Protocol, c, threads int) {
	seen := map[[2]int]bool{}
	for _, o := range q.Classes[c].Ops {
		switch o.Kind {
		case protocol.Arrive, protocol.ArriveExpectTx, protocol.ArriveDrop:
			if k := [2]int{0, o.Object}; !seen[k] {
				seen[k] = true
				q.Mbars[o.Object].Count -= threads * o.Count
			}
		case protocol.NamedArrive, protocol.NamedSync:
			if k := [2]int{1, o.Object}; !seen[k] {
				seen[k] = true
				q.Named[o.Object].Threads = max(0, q.Named[o.Object].Threads-threads)
			}
		}
	}
}

// opChanges leave out operations, effects and accesses. A later location comes later.
func opChanges(p *protocol.Protocol) (out []change) {
	for c := range p.Classes {
		for l := range p.Classes[c].Ops {
			out = append(out, func(q *protocol.Protocol) { Drop(&q.Classes[c], l) })
		}
	}
	for c := range p.Classes {
		for l := range p.Classes[c].Blocks {
			for i := range p.Classes[c].Blocks[l] {
				out = append(out, func(q *protocol.Protocol) { omit(&q.Classes[c].Blocks[l], i) })
			}
		}
		for l := range p.Classes[c].Ops {
			o := &p.Classes[c].Ops[l]
			for i := range o.Access {
				out = append(out, func(q *protocol.Protocol) { omit(&q.Classes[c].Ops[l].Access, i) })
			}
			for i := range o.Effects {
				out = append(out, func(q *protocol.Protocol) { omit(&q.Classes[c].Ops[l].Effects, i) })
			}
		}
	}
	return out
}

// omit leaves out an element.
func omit[T any](list *[]T, i int) { *list = slices.Delete(*list, i, i+1) }

// countChanges lower every number.
func countChanges(p *protocol.Protocol) (out []change) {
	lower := func(n int, at func(q *protocol.Protocol) *int) {
		for _, m := range []int{0, 1, n / 2, n - 1} {
			if m < n {
				out = append(out, func(q *protocol.Protocol) { *at(q) = m })
			}
		}
	}
	for i, b := range p.Mbars {
		lower(b.Count, func(q *protocol.Protocol) *int { return &q.Mbars[i].Count })
	}
	for i, b := range p.Named {
		lower(b.Threads, func(q *protocol.Protocol) *int { return &q.Named[i].Threads })
	}
	for i, f := range p.Flags {
		lower(f.Initial, func(q *protocol.Protocol) *int { return &q.Flags[i].Initial })
	}
	for c := range p.Classes {
		for l, o := range p.Classes[c].Ops {
			lower(o.Count, func(q *protocol.Protocol) *int { return &q.Classes[c].Ops[l].Count })
			lower(o.Bytes, func(q *protocol.Protocol) *int { return &q.Classes[c].Ops[l].Bytes })
			for i, e := range o.Effects {
				lower(e.Bytes, func(q *protocol.Protocol) *int { return &q.Classes[c].Ops[l].Effects[i].Bytes })
				lower(e.Arrivals, func(q *protocol.Protocol) *int { return &q.Classes[c].Ops[l].Effects[i].Arrivals })
			}
		}
	}
	return out
}

// size is what Shrink makes smaller.
func size(p *protocol.Protocol) int {
	n := 100*(len(p.Classes)+p.CTAs) + 10*(len(p.Mbars)+len(p.Named)+len(p.Flags)+len(p.Buffers))
	for _, b := range p.Mbars {
		n += b.Count
	}
	for _, b := range p.Named {
		n += b.Threads
	}
	for _, f := range p.Flags {
		n += max(f.Initial, -f.Initial)
	}
	accesses := func(list []protocol.Access) {
		for _, a := range list {
			n += 5 + len(a.Elements)
		}
	}
	for _, c := range p.Classes {
		n += 50*c.Count + 20*len(c.Ops)
		for _, o := range c.Ops {
			n += max(o.Count, -o.Count) + o.Bytes + len(o.Drains)
			for _, e := range o.Effects {
				n += 5 + e.Bytes + e.Arrivals
			}
			accesses(o.Access)
		}
		for _, b := range c.Blocks {
			accesses(b)
		}
	}
	return n
}
