// Package build is what is done to and asked of a protocol once every group of threads has been evaluated: classes that do the same are
// joined, barriers are counted as hardware counts them, and what the model would get wrong is named. It imports no other room of lower.
package build

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// A named barrier may be used with one thread count now and with another later: it starts afresh when a generation is
// complete (PTX ISA 9.7.13.1). The protocol has a barrier of its own for each count; that is the same as long as no
// thread comes with a new count before the last generation of the old one is complete.

// stretch is a part of a thread's operations on one id with one count.
type stretch struct {
	object int
	times  int
	sync   bool // the last one blocks
	arrive bool // some do not
}

// stretches lists the stretches of a class on an id of its CTA.
func stretches(p *protocol.Protocol, c *protocol.Class, id int) []stretch {
	var out []stretch
	for _, o := range c.Ops {
		if o.Kind != protocol.NamedSync && o.Kind != protocol.NamedArrive || p.Named[o.Object].ID != id {
			continue
		}
		if n := len(out); n == 0 || out[n-1].object != o.Object {
			out = append(out, stretch{object: o.Object})
		}
		last := &out[len(out)-1]
		last.times++
		last.sync = o.Kind == protocol.NamedSync
		last.arrive = last.arrive || !last.sync
	}
	return out
}

// MixedCounts finds an id that is used with several counts in a way that is not known to keep them apart. They are kept
// apart where all threads that use the id go through the same counts in the same order, each count for one generation,
// or for generations in which all of them block, and leave it by blocking: then whoever comes with a new count has
// seen the old one complete, and nobody can come with the old one again before the new one is complete.
func MixedCounts(p *protocol.Protocol, blockThreads int) (id int, mixed bool) {
	for i, n := range p.Named {
		for _, o := range p.Named[:i] {
			if o.ID == n.ID && o.CTA == n.CTA && n.ID < protocol.WarpBarrier && !inTurn(p, n.ID, n.CTA, blockThreads) {
				return n.ID, true
			}
		}
	}
	return 0, false
}

func inTurn(p *protocol.Protocol, id, cta, blockThreads int) bool {
	var of [][]stretch
	var threads []int
	for i := range p.Classes {
		c := &p.Classes[i]
		if c.CTA != cta {
			continue
		}
		if s := stretches(p, c, id); len(s) > 0 {
			of, threads = append(of, s), append(threads, c.Count)
		}
	}
	for k := range of[0] {
		need := p.Named[of[0][k].object].Threads
		if need == 0 {
			need = blockThreads
		}
		registered, alike := 0, true
		for c, s := range of {
			if len(s) != len(of[0]) || s[k].object != of[0][k].object || k+1 < len(s) && !s[k].sync {
				return false
			}
			registered += s[k].times * threads[c]
			alike = alike && !s[k].arrive && s[k].times == of[0][k].times
		}
		last := k+1 == len(of[0])
		if !last && registered != need && !(alike && registered == need*of[0][k].times) {
			return false
		}
	}
	return true
}

// CountArrivals gives the CTA-wide barriers at which threads arrive without waiting the count that such an arrive has to
// have (PTX ISA 9.7.13.1): a thread that arrives and ends is one of the count, and must not lower it, too.
func CountArrivals(p *protocol.Protocol, blockThreads int) {
	for _, c := range p.Classes {
		for _, o := range c.Ops {
			if o.Kind == protocol.NamedArrive && p.Named[o.Object].Threads == 0 {
				p.Named[o.Object].Threads = blockThreads
			}
		}
	}
}

// Missed says that threads end before a barrier that counts them.
func Missed(id int) string {
	return fmt.Sprintf("threads end before barrier %d, which counts them; whether hardware still waits for them is not documented", id)
}

// MissedCount finds a barrier with an explicit count of the whole CTA that some threads meet less often than others:
// the exit rule for CTA-wide barriers may not reach it (notes/semantics.md 2.2).
func MissedCount(p *protocol.Protocol, counted map[int]bool) (id int, missed bool) {
	for n := range p.Named {
		if counted[n] && len(Absent(p, n)) > 0 {
			return p.Named[n].ID, true
		}
	}
	return 0, false
}

// Absent lists the classes of a barrier's CTA that come to it less often than others do.
func Absent(p *protocol.Protocol, named int) (out []*protocol.Class) {
	most := 0
	for i := range p.Classes {
		most = max(most, len(At(&p.Classes[i], named)))
	}
	for i := range p.Classes {
		if c := &p.Classes[i]; c.CTA == p.Named[named].CTA && len(At(c, named)) < most {
			out = append(out, c)
		}
	}
	return out
}

// At lists the operations of a class on a named barrier.
func At(c *protocol.Class, named int) (out []*protocol.Op) {
	for i := range c.Ops {
		if o := &c.Ops[i]; (o.Kind == protocol.NamedSync || o.Kind == protocol.NamedArrive) && o.Object == named {
			out = append(out, o)
		}
	}
	return out
}

// HandsOver reports whether threads arrive at a barrier without waiting, as the two sides of a hand-over do in turns.
func HandsOver(p *protocol.Protocol, named int) bool {
	return slices.ContainsFunc(p.Classes, func(c protocol.Class) bool {
		return slices.ContainsFunc(At(&c, named), func(o *protocol.Op) bool { return o.Kind == protocol.NamedArrive })
	})
}

// ComesTo reports whether a class comes to a barrier at a site.
func ComesTo(c *protocol.Class, named, site int) bool {
	return slices.ContainsFunc(At(c, named), func(o *protocol.Op) bool { return o.Site == site })
}

// InitTwice names an mbarrier with more than one init. An init on a live object is undefined (PTX ISA 9.7.13.15.9), and
// one after an inval starts a life that the protocol does not tell from the first.
func InitTwice(p *protocol.Protocol) string {
	inits := make([]int, len(p.Mbars))
	for _, c := range p.Classes {
		for _, o := range c.Ops {
			if o.Kind == protocol.Init {
				if inits[o.Object] += c.Count; inits[o.Object] > 1 {
					return p.Mbars[o.Object].Name
				}
			}
		}
	}
	return ""
}

// Around is where threads arrived on the cluster barrier before an arrival, and where they next wait for it.
func Around(p *protocol.Protocol, ops []protocol.Op, at int) (out []protocol.Site) {
	for l := at - 1; l >= 0; l-- {
		if ops[l].Kind == protocol.ClusterArrive {
			s := p.Sites[ops[l].Site]
			s.Text = "it arrived here; expected the wait for that in between"
			out = append(out, s)
			break
		}
	}
	for l := at + 1; l < len(ops); l++ {
		if ops[l].Kind == protocol.ClusterWait {
			s := p.Sites[ops[l].Site]
			s.Text = "its next wait is here"
			return append(out, s)
		}
	}
	return out
}

// Divides gives the first operations on named barriers in which two programs differ; only one where it is for a count of threads and
// the other program has no more.
func Divides(p *protocol.Protocol, a, b *protocol.Class) (x, y *protocol.Op) {
	next := func(ops []protocol.Op) (*protocol.Op, []protocol.Op) {
		for i := range ops {
			if o := &ops[i]; (o.Kind == protocol.NamedSync || o.Kind == protocol.NamedArrive) && p.Named[o.Object].ID < protocol.WarpBarrier {
				return o, ops[i+1:]
			}
		}
		return nil, nil
	}
	for of, to := a.Ops, b.Ops; ; {
		x, of = next(of)
		y, to = next(to)
		if x == nil {
			x, y = y, nil
		}
		if y == nil {
			if x != nil && p.Named[x.Object].Threads == 0 {
				x = nil
			}
			return x, nil
		}
		if x.Kind != y.Kind || x.Object != y.Object {
			return x, y
		}
	}
}

// MeetingAt is where threads first come to a barrier.
func MeetingAt(p *protocol.Protocol, batches []protocol.Batch, named int, used string) []protocol.Site {
	for _, b := range batches {
		op := &p.Classes[b.Class].Ops[b.Op]
		if (op.Kind == protocol.NamedSync || op.Kind == protocol.NamedArrive) && op.Object == named {
			s := p.Sites[op.Site]
			s.Text = "it is used " + used + " here"
			return []protocol.Site{s}
		}
	}
	return nil
}

// Unmet is the first operation on a barrier in a place that some threads of its CTA have none in, or the last one of all.
func Unmet(p *protocol.Protocol, named int) (op *protocol.Op) {
	absent := Absent(p, named)
	for i := range p.Classes {
		for _, o := range At(&p.Classes[i], named) {
			if op = o; !ComesTo(absent[0], named, o.Site) {
				return op
			}
		}
	}
	return op
}
