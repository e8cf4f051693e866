package spin

import (
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// A property of a single state is a monitor: a command that is possible in the states that break the property and
// fails. The monitors stand before all other commands, so that a search tries them first.

func (b *builder) monitors() []command {
	var out []command
	add := func(prop protocol.Property, bad expr) {
		if b.checks[prop] && bad != no {
			out = append(out, command{guard: bad, body: []stmt{failed(prop)}})
		}
	}
	add(protocol.Phase, b.badPhase())
	add(protocol.Race, b.race())
	add(protocol.Lifetime, b.lifetime())
	return out
}

func failed(prop protocol.Property) stmt { return fail(slices.Index(protocol.Properties, prop)) }

// badPhase is true when a thread at a wait for phase k finds the barrier two phases on, or may pass before phase k.
func (b *builder) badPhase() expr {
	var bad []expr
	for c := range b.classes {
		pl := &b.classes[c]
		for l, op := range pl.class.Ops {
			if op.Kind != protocol.Wait {
				continue
			}
			phase, k := get(b.mbars[op.Object].phase), b.canon.WaitPhase(c, l)
			if k == protocol.NoPhase {
				continue
			}
			wrong := is(phase, ">=", number(k+2))
			if k >= 1 {
				early := allOf(is(phase, "<=", number(k-1)), is(binary{"%", phase, number(2)}, "!=", number(op.Parity)))
				wrong = anyOf(wrong, early)
			}
			bad = append(bad, allOf(pl.has(l), wrong))
		}
	}
	return anyOf(bad...)
}

// lifetime is true when a thread or an operation in flight is about to use an mbarrier before its init, or something
// in the shared memory of another CTA whose threads have all exited.
func (b *builder) lifetime() expr {
	var bad []expr
	gone := make([][]expr, b.p.CTAs)
	use := func(user, owner int, here expr) {
		if owner >= 0 && owner != user && !slices.Contains(gone[owner], here) {
			gone[owner] = append(gone[owner], here)
		}
	}
	mbar := func(user, m int, here expr) {
		if ready := b.mbars[m].ready; ready != nil {
			bad = append(bad, allOf(here, is(get(ready), "==", number(0))))
		}
		use(user, b.p.Mbars[m].CTA, here)
	}
	for c := range b.classes {
		pl := &b.classes[c]
		cta := pl.class.CTA
		for l, block := range pl.class.Blocks {
			for _, a := range block {
				use(cta, b.p.Buffers[a.Buffer].CTA, pl.has(l))
			}
		}
		for l, op := range pl.class.Ops {
			switch op.Kind {
			case protocol.Arrive, protocol.ArriveExpectTx, protocol.ArriveDrop, protocol.ExpectTx, protocol.CompleteTx, protocol.Wait:
				mbar(cta, op.Object, pl.has(l))
			case protocol.Issue:
				flying := is(pl.inFlight[l], ">", number(0))
				for _, e := range op.Effects { // what it uses, it uses in flight
					mbar(cta, e.Mbar, flying)
					if e.Lands() {
						use(-1, b.p.Mbars[e.Mbar].CTA, flying)
					}
				}
				for _, a := range op.Access {
					use(cta, b.p.Buffers[a.Buffer].CTA, flying)
				}
			}
		}
	}
	for cta, users := range gone {
		bad = append(bad, allOf(b.exited(cta), anyOf(users...)))
	}
	return anyOf(bad...)
}

// accessor is one place from which a buffer is accessed: threads at a location, or operations in flight.
type accessor struct {
	engine.Accessor
	*protocol.Access
}

// race is true when two conflicting accesses may both be happening.
func (b *builder) race() expr {
	byBuffer := make([][]accessor, len(b.p.Buffers))
	for c := range b.classes {
		class := b.classes[c].class
		for l := range class.Blocks {
			for i := range class.Blocks[l] {
				a := &class.Blocks[l][i]
				byBuffer[a.Buffer] = append(byBuffer[a.Buffer], accessor{engine.Accessor{Class: c, Location: l, Index: i}, a})
			}
		}
		for l := range class.Ops {
			for i := range class.Ops[l].Access {
				a := &class.Ops[l].Access[i]
				byBuffer[a.Buffer] = append(byBuffer[a.Buffer], accessor{engine.Accessor{Class: c, Location: l, Index: i, InFlight: true}, a})
			}
		}
	}
	var bad []expr
	seen := map[[2]engine.Accessor]bool{}
	for _, list := range byBuffer {
		for i, x := range list {
			for _, y := range list[i:] {
				if unordered(b.p, x, y) {
					bad = append(bad, b.present(x))
				}
				if !b.p.Conflict(protocol.Use{Access: x.Access, Class: x.Class, InFlight: x.InFlight}, protocol.Use{Access: y.Access, Class: y.Class, InFlight: y.InFlight}) {
					continue
				}
				key := [2]engine.Accessor{place(x), place(y)}
				if seen[key] {
					continue
				}
				if together := b.both(x, y); together != no {
					seen[key] = true
					bad = append(bad, together)
				}
			}
		}
	}
	return anyOf(bad...)
}

// unordered reports whether one thread in one block may be behind two accesses, given in the order of the block.
func unordered(p *protocol.Protocol, x, y accessor) bool {
	return x.Class == y.Class && x.Location == y.Location && !x.InFlight && !y.InFlight && x.Index < y.Index &&
		p.Unordered(x.Access, y.Access) && overlaps(x, y, true, false)
}

func place(a accessor) engine.Accessor {
	a.Index = 0
	return a.Accessor
}

func (b *builder) present(a accessor) expr {
	pl := &b.classes[a.Class]
	if a.InFlight {
		return is(pl.inFlight[a.Location], ">", number(0))
	}
	return pl.has(a.Location)
}

// both is true when the two accesses may be happening now on one element. Within a class any assignment of thread
// indices to threads is an execution, so only whether one thread or two are behind the accesses is constrained.
func (b *builder) both(x, y accessor) expr {
	here := allOf(b.present(x), b.present(y))
	if x.Class != y.Class {
		if overlaps(x, y, true, true) {
			return here
		}
		return no
	}
	if x.InFlight && !y.InFlight {
		x, y = y, x
	}
	pl := &b.classes[x.Class]
	own, two := overlaps(x, y, true, false), overlaps(x, y, false, true) && pl.class.Count > 1
	switch {
	case x.Location == y.Location && x.InFlight == y.InFlight: // distinct threads at one place
		if !two {
			return no
		}
		n := pl.count(x.Location)
		if x.InFlight {
			n = pl.inFlight[x.Location]
		}
		return is(n, ">=", number(2))
	case !x.InFlight && !y.InFlight, !x.InFlight && x.Location <= y.Location: // never one thread
		if !two {
			return no
		}
		return here
	case own:
		return here
	case !two:
		return no
	}
	first := y.Location
	if x.InFlight {
		first = min(first, x.Location)
	}
	return allOf(here, is(b.beyond(pl, first), ">=", number(2)))
}

// beyond counts the threads of a class past a location.
func (b *builder) beyond(pl *places, l int) expr {
	var n []expr
	for m := l + 1; m <= pl.end(); m++ {
		n = append(n, pl.count(m))
		if at, ok := pl.blocked[m]; ok {
			n = append(n, pl.count(at))
		}
	}
	return sum(n...)
}

// overlaps reports whether the accesses touch one element, wherever in its range one of an unknown place is: for one
// thread (same) or for two (distinct) of a class.
// A single entry stands for every thread.
func overlaps(x, y accessor, same, distinct bool) bool {
	named := x.Class == y.Class && len(x.Elements) > 1 && len(y.Elements) > 1
	for i, r := range x.Elements {
		for j, s := range y.Elements {
			who := same && i == j || distinct && i != j || !named
			lo, hi := max(r.Lo, s.Lo), min(r.Hi, s.Hi)
			within := (x.Parts != protocol.Somewhere || r == protocol.Range{Lo: lo, Hi: hi}) && (y.Parts != protocol.Somewhere || s == protocol.Range{Lo: lo, Hi: hi})
			if who && lo < hi && within {
				return true
			}
		}
	}
	return false
}

// ending checks a state in which no step is possible, and then sets every variable to zero: all ends become one state,
// so the states of the model are those of the protocol and three more.
func (b *builder) ending() []stmt {
	var done []expr
	for c := range b.classes {
		done = append(done, b.classes[c].ended())
	}
	dead := []stmt{branch{guard: b.livelock(), body: b.check(protocol.Livelock, yes), other: b.check(protocol.Deadlock, yes)}}
	checks := []stmt{branch{guard: allOf(done...), body: b.atRest(), other: dead}}
	if len(b.under) > 0 {
		checks = []stmt{branch{guard: anyOf(b.under...), other: checks}}
	}
	for _, v := range b.m.variables {
		for i := range max(v.size, 1) {
			checks = append(checks, assign{ref{v, i}, number(0)})
		}
	}
	return checks
}

// livelock is true, of a state without steps, when a thread spins on a flag that no blocked thread still writes.
func (b *builder) livelock() expr {
	var spins []expr
	for f, last := range protocol.LastWrites(b.p) {
		var spinning, ahead []expr
		for c := range b.classes {
			pl := &b.classes[c]
			for l, op := range pl.class.Ops {
				here, blocks := b.blockedAt(pl, l)
				if op.Kind.Polls() && op.Object == f {
					spinning = append(spinning, here)
				}
				if blocks && l <= last[c] {
					ahead = append(ahead, here)
				}
			}
		}
		spins = append(spins, allOf(anyOf(spinning...), not(anyOf(ahead...))))
	}
	return anyOf(spins...)
}

// blockedAt is true when a thread is blocked at a location, for the operations that block.
func (b *builder) blockedAt(pl *places, l int) (expr, bool) {
	switch pl.class.Ops[l].Kind {
	case protocol.NamedSync:
		return pl.has(pl.blocked[l]), true
	case protocol.Wait, protocol.ClusterWait, protocol.Drain, protocol.Spin, protocol.FlagSwap:
		return pl.has(l), true
	}
	return no, false
}

// atRest checks the barriers once all threads are done.
func (b *builder) atRest() []stmt {
	var lost, partly []expr
	for i, m := range b.mbars {
		if b.p.Mbars[i].Armed {
			continue
		}
		short := allOf(is(get(m.pending), ">", number(0)), is(get(m.pending), "<", m.counts(b.p.Mbars[i].Count)))
		if m.tx != nil {
			lost = append(lost, is(get(m.tx), "!=", number(0)))
			short = allOf(short, is(get(m.tx), "==", number(0)))
		}
		partly = append(partly, short)
	}
	return append(b.check(protocol.Bytes, anyOf(lost...)), b.check(protocol.Quiet, anyOf(partly...))...)
}

func (b *builder) check(prop protocol.Property, bad expr) []stmt {
	if !b.checks[prop] || bad == no {
		return nil
	}
	return []stmt{branch{guard: bad, body: []stmt{failed(prop)}}}
}
