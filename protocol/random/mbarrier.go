package random

import "github.com/fencepost-dev/fencepost/protocol"

// gather is an mbarrier at which some classes arrive, each with its count, and wait; others only wait. A class may drop
// out on its way.
func (w *writer) gather() handshake {
	who := w.of(-1)
	in := w.some(who, 1)
	n, each := 0, 1+w.r.IntN(6)/5
	for _, c := range in {
		n += each * w.p.Classes[c].Count
	}
	b := w.mbar(w.r.IntN(w.p.CTAs), n)
	leaver, leaves := in[w.r.IntN(len(in))], -1
	if len(in) > 1 && chance(w.r, 3) {
		leaves = w.r.IntN(2)
	}
	only := -1 // waits, without arriving
	if len(in) < len(who) && chance(w.r, 3) {
		only = who[len(in)]
	}
	return func(i int, _ bool) {
		for _, c := range in {
			o := protocol.Op{Kind: protocol.Arrive, Object: b, Count: each}
			if c == leaver && leaves >= 0 {
				if i > leaves {
					continue
				}
				if i == leaves {
					o.Kind = protocol.ArriveDrop
				}
			}
			w.do(c, o, wait(b, i%2))
		}
		if only >= 0 {
			w.do(only, wait(b, i%2))
		}
	}
}

// exchange is two mbarriers, each arrived at by both sides: halos of neighbours.
func (w *writer) exchange() handshake {
	who := w.of(-1)
	x, y := who[0], who[1]
	n := w.threads(x, y)
	bx, by := w.mbar(w.p.Classes[x].CTA, n), w.mbar(w.p.Classes[y].CTA, n)
	return func(i int, _ bool) {
		w.do(x, arrive(bx), arrive(by), wait(bx, i%2))
		w.do(y, arrive(by), arrive(bx), wait(by, i%2))
	}
}

// ring is a ring of one or two stages with a full and an empty mbarrier each.
type ring struct {
	*writer
	producer  int
	consumers []int
	full      []int
	empty     []int
	slots     int // buffer
	how       int
	bytes     int
}

// How a producer fills a stage.
const (
	byArrive = iota // it writes, and arrives
	byCopy          // it expects bytes with its arrival, and a copy brings them
	byCommit        // an operation in flight arrives
	byExpect        // it expects bytes before it arrives, and somebody completes them
	ways
)

func (w *writer) newRing() *ring {
	who := w.of(-1)
	g := &ring{writer: w, producer: who[0], consumers: w.some(who[1:], 1), how: w.r.IntN(ways), bytes: 1 + w.r.IntN(2)}
	cta, n := w.p.Classes[g.producer].CTA, w.threads(g.producer)
	if chance(w.r, 3) {
		cta = w.p.Classes[g.consumers[0]].CTA
	}
	stages := 1 + w.r.IntN(2)
	g.slots = w.buffer(cta, stages*n)
	for range stages {
		g.full = append(g.full, w.mbar(cta, n))
		g.empty = append(g.empty, w.mbar(w.p.Classes[g.producer].CTA, w.threads(g.consumers...)))
	}
	return g
}

func (w *writer) ring() handshake {
	g := w.newRing()
	lazy := chance(w.r, 3) // does not wait for a stage that is empty from the start
	return func(i int, last bool) {
		stages := len(g.full)
		s, phase := i%stages, i/stages%2
		if !lazy || i >= stages {
			w.do(g.producer, wait(g.empty[s], phase^1))
		}
		g.fill(s)
		for _, c := range g.consumers {
			w.do(c, wait(g.full[s], phase))
			w.touch(c, g.slots, false, false, s)
			w.do(c, arrive(g.empty[s]))
		}
		if last && chance(w.r, 3) { // the tail: until all stages are empty again
			w.do(g.producer, wait(g.empty[s], phase))
		}
	}
}

func (g *ring) fill(s int) {
	c, n := g.producer, g.p.Classes[g.producer].Count
	slot := protocol.Access{Buffer: g.slots, Write: true}
	for t := range n {
		slot.Elements = append(slot.Elements, protocol.Range{Lo: s*n + t, Hi: s*n + t + 1})
	}
	issue := protocol.Op{Kind: protocol.Issue, Access: []protocol.Access{slot}, Effects: []protocol.Effect{{Mbar: g.full[s], Bytes: g.bytes}}}
	switch g.how {
	case byArrive:
		g.touch(c, g.slots, true, true, s*n)
		g.do(c, arrive(g.full[s]))
	case byCopy:
		g.do(c, protocol.Op{Kind: protocol.ArriveExpectTx, Object: g.full[s], Count: 1, Bytes: g.bytes}, issue)
	case byCommit:
		issue.Effects = []protocol.Effect{{Mbar: g.full[s], Arrivals: 1}}
		g.do(c, issue)
	case byExpect:
		expect, done := on(protocol.ExpectTx, g.full[s]), on(protocol.CompleteTx, g.full[s])
		expect.Bytes, done.Bytes = g.bytes, g.bytes
		if chance(g.r, 2) {
			g.do(c, expect, issue, arrive(g.full[s]))
			return
		}
		g.touch(c, g.slots, true, true, s*n)
		g.do(c, expect, arrive(g.full[s]), done)
	}
}

// turns is a ring whose two consumers take turns, kept in order by a named barrier: neither waits for every phase.
func (w *writer) turns() handshake {
	cta := w.r.IntN(w.p.CTAs)
	who := w.of(cta)
	if len(who) < 3 {
		return w.ring()
	}
	if w.p.Classes[who[1]].Count != w.p.Classes[who[2]].Count {
		return w.channel()
	}
	g := w.newRing()
	g.producer, g.consumers = who[0], who[1:3]
	n := w.threads(g.consumers...)
	b := w.named(cta, n)
	for s := range g.full {
		w.p.Mbars[g.full[s]].Count, w.p.Mbars[g.empty[s]].Count = w.threads(g.producer), w.threads(g.consumers[s%2])
	}
	w.p.Buffers[g.slots].Elements = 2 * w.threads(g.producer)
	return func(i int, _ bool) {
		s, phase := i%len(g.full), i/len(g.full)%2
		me, other := g.consumers[i%2], g.consumers[1-i%2]
		w.do(g.producer, wait(g.empty[s], phase^1))
		g.fill(s)
		w.do(me, wait(g.full[s], phase))
		w.touch(me, g.slots, false, false, s)
		w.do(me, arrive(g.empty[s]), on(protocol.NamedArrive, b))
		w.do(other, on(protocol.NamedSync, b))
	}
}

// copies is a group of copies that its thread waits for, for all threads of the CTA to read.
func (w *writer) copies() handshake {
	cta := w.r.IntN(w.p.CTAs)
	who := w.of(cta)
	if len(who) < 2 {
		return w.channel()
	}
	wide, s := w.named(cta, 0), w.buffer(cta, 2)
	if chance(w.r, 2) {
		who = who[:2]
		w.p.Named[wide].Threads = w.threads(who...)
	}
	before := -1 // a copy that only the next round waits for
	return func(i int, last bool) {
		at := len(w.p.Classes[who[0]].Ops)
		w.do(who[0], protocol.Op{Kind: protocol.Issue, Access: []protocol.Access{{Buffer: s, Write: true, Elements: []protocol.Range{{Lo: i % 2, Hi: i%2 + 1}}}}})
		drain := protocol.Op{Kind: protocol.Drain, Drains: []int{at}}
		if before >= 0 {
			drain.Drains = append([]int{before}, at)
		}
		if before = -1; !last && chance(w.r, 3) {
			before, drain.Drains = at, nil
		}
		w.do(who[0], drain)
		for _, c := range who {
			w.do(c, on(protocol.NamedSync, wide))
			if before < 0 {
				w.touch(c, s, false, false, i%2)
			}
			w.do(c, on(protocol.NamedSync, wide))
		}
	}
}

// groups is copies of which each thread of a class issues its own and waits for it, two in flight, for others to read.
func (w *writer) groups() handshake {
	cta := w.r.IntN(w.p.CTAs)
	who := w.of(cta)
	n := w.p.Classes[who[0]].Count
	wide, s := w.named(cta, 0), w.buffer(cta, 3*n)
	left := 1
	if chance(w.r, 4) {
		left = 2 // one too many
	}
	var flying []protocol.Access
	land := func(left int) {
		flying = flying[max(0, len(flying)-left):]
		w.do(who[0], protocol.Op{Kind: protocol.Drain})
		w.carry(who[0], flying)
	}
	return func(i int, last bool) {
		a := protocol.Access{Buffer: s, Write: true, Async: true, Pending: true, Site: w.r.IntN(2)}
		for t := range n {
			a.Elements = append(a.Elements, protocol.Range{Lo: i%3*n + t, Hi: i%3*n + t + 1})
		}
		flying = append(flying, a)
		w.carry(who[0], []protocol.Access{a})
		if land(left); i > 0 && chance(w.r, 2) {
			w.touch(who[0], s, false, true, (i-1)%3*n) // its own, without a barrier
		}
		for _, c := range who {
			w.do(c, on(protocol.NamedSync, wide))
			if c == who[0] {
				w.carry(c, flying)
			}
			if i > 0 {
				w.touch(c, s, false, false, (i-1)%3*n+w.r.IntN(n))
			}
		}
		if last {
			land(0)
		}
	}
}

// carry adds accesses that go on to the place where a class is now.
func (w *writer) carry(c int, list []protocol.Access) {
	class := &w.p.Classes[c]
	class.Blocks[len(class.Ops)] = append(class.Blocks[len(class.Ops)], list...)
}
