package random

import (
	"math/rand/v2"

	"github.com/fencepost-dev/fencepost/protocol"
)

// writer puts a protocol together out of handshakes.
type writer struct {
	r *rand.Rand
	p *protocol.Protocol
}

// handshake is one round of something that classes do together; last says that no other follows.
type handshake func(round int, last bool)

// script is one to three handshakes, round after round, as the main loop of a kernel has them.
func script(r *rand.Rand) *protocol.Protocol {
	w := &writer{r, start("script", 1+r.IntN(3)/2)}
	for range 2 + r.IntN(3)/2 {
		w.class(r.IntN(w.p.CTAs), [...]int{1, 1, 1, 2, 2, 3}[r.IntN(6)])
	}
	if w.p.CTAs > 1 {
		w.class(0, 1)
		w.class(1, 1+r.IntN(2))
	}
	var all []handshake
	locks := chance(r, 10)
	for range 1 + r.IntN(5)/2 {
		if locks {
			all = append(all, []func() handshake{w.exclude, w.exclude, w.meet, w.publish}[r.IntN(4)]())
			continue
		}
		all = append(all, w.draw())
	}
	if len(w.p.Mbars) > 0 && chance(r, 3) {
		w.initialise()
	}
	rounds := 1 + r.IntN(4-len(all))
	for i := range rounds {
		for _, h := range all {
			h(i, i == rounds-1)
		}
	}
	if w.p.CTAs > 1 && !chance(r, 4) {
		w.cluster()(0, true)
	}
	return w.p
}

func (w *writer) draw() handshake {
	return []func() handshake{w.ring, w.ring, w.gather, w.gather, w.exchange, w.meet, w.channel, w.cluster, w.copies, w.publish, w.turns, w.groups}[w.r.IntN(12)]()
}

func (w *writer) class(cta, count int) int {
	w.p.Classes = append(w.p.Classes, protocol.Class{Name: "c", CTA: cta, Count: count, Blocks: make([][]protocol.Access, 1)})
	return len(w.p.Classes) - 1
}

// do appends operations to a class.
func (w *writer) do(c int, ops ...protocol.Op) {
	class := &w.p.Classes[c]
	class.Ops = append(class.Ops, ops...)
	class.Blocks = append(class.Blocks, make([][]protocol.Access, len(ops))...)
}

// touch adds an access to the place where a class is now: of one element by all, or an element each.
func (w *writer) touch(c, buffer int, write, own bool, at int) {
	class := &w.p.Classes[c]
	a := protocol.Access{Buffer: buffer, Write: write, Site: w.r.IntN(2), Elements: []protocol.Range{{Lo: at, Hi: at + 1}}}
	if own {
		a.Elements = nil
		for t := range class.Count {
			a.Elements = append(a.Elements, protocol.Range{Lo: at + t, Hi: at + t + 1})
		}
	}
	class.Blocks[len(class.Ops)] = append(class.Blocks[len(class.Ops)], a)
}

func (w *writer) mbar(cta, count int) int {
	w.p.Mbars = append(w.p.Mbars, protocol.Mbarrier{Name: "b", CTA: cta, Count: count})
	return len(w.p.Mbars) - 1
}

func (w *writer) named(cta, threads int) int {
	w.p.Named = append(w.p.Named, protocol.Named{ID: len(w.p.Named), CTA: cta, Threads: threads})
	return len(w.p.Named) - 1
}

func (w *writer) buffer(cta, elements int) int {
	w.p.Buffers = append(w.p.Buffers, protocol.Buffer{Name: "s", CTA: cta, Elements: elements})
	return len(w.p.Buffers) - 1
}

// threads is how many threads some classes have.
func (w *writer) threads(classes ...int) (n int) {
	for _, c := range classes {
		n += w.p.Classes[c].Count
	}
	return n
}

// of lists the classes of a CTA, in any order; of all CTAs for -1.
func (w *writer) of(cta int) (out []int) {
	for _, c := range w.r.Perm(len(w.p.Classes)) {
		if cta < 0 || w.p.Classes[c].CTA == cta {
			out = append(out, c)
		}
	}
	return out
}

// some is at least least of a list of classes.
func (w *writer) some(from []int, least int) []int {
	return from[:min(len(from), least+w.r.IntN(max(1, len(from)-least+1)))]
}

func arrive(b int) protocol.Op { return protocol.Op{Kind: protocol.Arrive, Object: b, Count: 1} }

func wait(b, parity int) protocol.Op {
	return protocol.Op{Kind: protocol.Wait, Object: b, Parity: parity}
}

func on(k protocol.Kind, object int) protocol.Op { return protocol.Op{Kind: k, Object: object} }

// initialise lets one thread initialise the mbarriers, and the others wait for it.
func (w *writer) initialise() {
	c := w.class(w.r.IntN(w.p.CTAs), 1)
	for b := range w.p.Mbars {
		w.do(c, on(protocol.Init, b))
	}
	if w.p.CTAs > 1 {
		w.cluster()(0, true)
		return
	}
	wide := w.named(0, 0)
	for _, c := range w.of(-1) {
		w.do(c, on(protocol.NamedSync, wide))
	}
}

// cluster is the cluster barrier.
func (w *writer) cluster() handshake {
	return func(int, bool) {
		for c := range w.p.Classes {
			w.do(c, on(protocol.ClusterArrive, 0))
			if chance(w.r, 6) && len(w.p.Buffers) > 0 { // between arrive and wait
				w.touch(c, w.r.IntN(len(w.p.Buffers)), false, false, 0)
			}
			w.do(c, on(protocol.ClusterWait, 0))
		}
	}
}

// meet is a barrier of all threads of a CTA, or of some.
func (w *writer) meet() handshake {
	cta := w.r.IntN(w.p.CTAs)
	who := w.of(cta)
	if len(who) == 0 {
		return w.cluster()
	}
	b := w.named(cta, 0)
	if chance(w.r, 2) {
		who = w.some(who, 1)
		w.p.Named[b].Threads = w.threads(who...)
	}
	s := w.buffer(cta, w.threads(who...))
	return func(int, bool) {
		for i, c := range who {
			if i == 0 {
				w.touch(c, s, true, true, 0)
			}
			w.do(c, on(protocol.NamedSync, b))
			w.touch(c, s, false, false, 0)
			if len(who) > 1 {
				w.do(c, on(protocol.NamedSync, b))
			}
		}
	}
}

// channel hands a buffer back and forth with two named barriers.
func (w *writer) channel() handshake {
	cta := w.r.IntN(w.p.CTAs)
	who := w.of(cta)
	if len(who) < 2 {
		return w.meet()
	}
	a, b := who[0], who[1]
	n := w.threads(a, b)
	full, empty, s := w.named(cta, n), w.named(cta, n), w.buffer(cta, n)
	return func(_ int, last bool) {
		w.touch(a, s, true, true, 0)
		w.do(a, on(protocol.NamedArrive, full))
		w.do(b, on(protocol.NamedSync, full))
		w.touch(b, s, false, false, 0)
		if !last || chance(w.r, 2) {
			w.do(b, on(protocol.NamedArrive, empty))
			w.do(a, on(protocol.NamedSync, empty))
		}
	}
}

// publish is a flag in global memory that counts up, or is set.
func (w *writer) publish() handshake {
	who := w.of(-1)
	a, readers := who[0], w.some(who[1:], 1)
	w.p.Flags = append(w.p.Flags, protocol.Flag{Name: "f", Initial: w.r.IntN(2)})
	f, n := len(w.p.Flags)-1, w.threads(a)
	set, s := chance(w.r, 3), w.buffer(-1, 3)
	first, compare := w.p.Flags[f].Initial, []string{">=", ">=", ">", "==", "!="}[w.r.IntN(5)]
	return func(i int, last bool) {
		w.touch(a, s, true, false, i%3)
		o := protocol.Op{Kind: protocol.FlagAdd, Object: f, Count: 1}
		if set {
			o = protocol.Op{Kind: protocol.FlagStore, Object: f, Count: first + i + 1}
		}
		w.do(a, o)
		spin := protocol.Op{Kind: protocol.Spin, Object: f, Compare: ">=", Count: first + (i+1)*n}
		if set {
			spin.Count = o.Count
		}
		switch {
		case compare == ">":
			spin.Compare, spin.Count = ">", spin.Count-1
		case compare == "==" && last:
			spin.Compare = "=="
		case compare == "!=" && i == 0 && n == 1:
			spin.Compare, spin.Count = "!=", first
		}
		for _, c := range readers {
			w.do(c, spin)
			w.touch(c, s, false, false, i%3)
		}
	}
}

// exclude is a lock, or two of which one is taken inside of the other, and what some threads do without it.
func (w *writer) exclude() handshake {
	who := w.of(-1)
	s, free := w.buffer(-1, 6), w.r.IntN(2)
	lock := func(initial int) int {
		w.p.Flags = append(w.p.Flags, protocol.Flag{Name: "l", Initial: initial})
		return len(w.p.Flags) - 1
	}
	first := free
	if w.p.CTAs == 1 && chance(w.r, 3) { // one thread gives it back before any takes it
		first = 2
	}
	f := lock(first)
	if first != free {
		meet := w.named(0, 0)
		w.do(who[0], protocol.Op{Kind: protocol.FlagStore, Object: f, Count: free})
		for _, c := range who {
			w.do(c, protocol.Op{Kind: protocol.NamedSync, Object: meet})
		}
	}
	other, nested := f, chance(w.r, 4)
	if chance(w.r, 3) {
		other = lock(free)
	}
	together := -1 // a barrier of a CTA, whose threads share the section of the first
	if chance(w.r, 3) {
		for n, c := range who { // one thread takes it for all
			if w.p.Classes[c].Count == 1 {
				who[0], who[n] = c, who[0]
				break
			}
		}
		together = w.named(w.p.Classes[who[0]].CTA, 0)
	}
	take := func(c, f int) {
		w.do(c, protocol.Op{Kind: protocol.FlagSwap, Object: f, Compare: "==", Count: free, Value: 1 - free})
	}
	give := func(c, f int) { w.do(c, protocol.Op{Kind: protocol.FlagStore, Object: f, Count: free}) }
	return func(i int, _ bool) {
		if together >= 0 {
			take(who[0], f)
			for range 1 + w.r.IntN(2) {
				for _, c := range who {
					if w.p.Classes[c].CTA != w.p.Named[together].CTA {
						continue
					}
					if w.do(c, protocol.Op{Kind: protocol.NamedSync, Object: together}); chance(w.r, 2) {
						w.touch(c, s, chance(w.r, 2), true, i%2)
					}
				}
			}
			give(who[0], f)
			for _, c := range who {
				if w.p.Classes[c].CTA != w.p.Named[together].CTA && (w.p.Classes[c].Count == 1 || chance(w.r, 4)) {
					take(c, f)
					w.touch(c, s, true, false, i%2)
					give(c, f)
					break
				}
			}
			return
		}
		for n, c := range who {
			switch l := []int{f, other}[n%2]; {
			case chance(w.r, 8):
				w.touch(c, s, chance(w.r, 2), false, w.r.IntN(4))
			case nested && other != f:
				take(c, l)
				take(c, f+other-l)
				w.touch(c, s, true, false, i%3)
				give(c, l)
				give(c, f+other-l)
			default:
				take(c, l)
				w.touch(c, s, chance(w.r, 2), false, i%3)
				give(c, l)
			}
		}
	}
}
