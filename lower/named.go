package lower

import "github.com/fencepost-dev/fencepost/protocol"

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

// mixedCounts finds an id that is used with several counts in a way that is not known to keep them apart. They are kept
// apart where all threads that use the id go through the same counts in the same order, each count for one generation,
// or for generations in which all of them block, and leave it by blocking: then whoever comes with a new count has
// seen the old one complete, and nobody can come with the old one again before the new one is complete.
func mixedCounts(p *protocol.Protocol, blockThreads int) (id int, mixed bool) {
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
