package rules

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// overrunSignal (FP114) reports an mbarrier that one role completes once a round and another waits for by the parity of
// the round, while the first is only held back by a ring: a slot that was given back. With two slots it may be two rounds
// ahead, and two completed phases look like none (PTX ISA 9.7.13.15: a parity wait tells adjacent phases apart only).
func overrunSignal(p *Pass) {
	uses := p.usesOfBarriers()
	for _, q := range uses {
		if !q.wait || !p.everyRound(q) {
			continue
		}
		signal := onlySignal(q, uses)
		if signal == nil || signal.s.loop() == nil || signal.varies() || meetsElsewhere(signal.s.loop()) {
			continue
		}
		ring := p.heldBack(q, signal, uses)
		if ring == nil {
			continue
		}
		f := p.report(q.s.op.Span, "%q has one phase for all slots of %q: two may complete before this wait sees one", lastWord(q.base), lastWord(ring.base))
		p.label(f, signal.s.op.Span, "completed here once a round")
		p.label(f, ring.s.op.Span, "this may let it go on to the next slot before the wait has passed")
		f.Help = "give each slot of the ring a barrier of its own, and wait with the phase of the slot: (round / slots) & 1"
	}
}

// roleUse is a site that works on an mbarrier in shared memory: a wait, or anything else that is given it.
type roleUse struct {
	s *site
	barrier
	wait  bool
	phase program.Expr
}

// varies reports whether a use is of another barrier each round of its loop.
func (u *roleUse) varies() bool { return u.index != nil && u.s.loop().varies(u.index) }

// usesOfBarriers lists the uses of mbarriers in a function's shared memory, by the function's own text. A function that is
// not known may arrive at what it is given, unless it is called wait.
func (p *Pass) usesOfBarriers() []*roleUse {
	var out []*roleUse
	for _, s := range p.sites {
		if s.owner != p.fn {
			continue
		}
		if arrives[s.op.Kind] || s.blocks() {
			if b := s.barrier(); b.base != "" {
				out = append(out, &roleUse{s, b, s.blocks(), s.arg("phase")})
			}
			continue
		}
		if s.op.Kind != unknownCall || s.op.Call == nil || len(p.fn.dims) == 0 || preparesBarrier(s.op.Name) {
			continue
		}
		for i, a := range s.op.Call.Args {
			b := p.fn.barrierOf(a)
			if b.base == "" || !p.fn.dims[b.base] {
				continue
			}
			u := &roleUse{s: s, barrier: b}
			if i == 0 && len(s.op.Call.Args) == 2 && lastWord(s.op.Name) == "wait" {
				u.wait, u.phase = true, s.op.Call.Args[1]
			}
			out = append(out, u)
		}
	}
	return out
}

// preparesBarrier reports whether a function's name says that it completes no phase.
func preparesBarrier(name string) bool {
	name = strings.ToLower(lastWord(name))
	return strings.Contains(name, "init") || strings.Contains(name, "expect") || strings.Contains(name, "inval")
}

// everyRound reports whether a wait is for one barrier in each round of its loop, with the parity of the round.
func (p *Pass) everyRound(q *roleUse) bool {
	l := q.s.loop()
	if l == nil || q.varies() {
		return false
	}
	if counter, period, ok := p.fn.parity(q.phase); ok {
		return period == 1 && l.varies(counter)
	}
	name := path(q.phase)
	return name != "" && p.flips(l, name) == 1
}

// onlySignal is the one place where a barrier is completed that a wait is for, nil where there are more or where the
// waiting role does it itself.
func onlySignal(q *roleUse, uses []*roleUse) (found *roleUse) {
	for _, u := range uses {
		if u.base != q.base || u.wait {
			continue
		}
		if found != nil || !exclusive(u.s, q.s) {
			return nil
		}
		found = u
	}
	return found
}

// meetsElsewhere reports whether the threads of a loop meet others at a barrier of the CTA or the cluster.
func meetsElsewhere(l *loop) bool {
	for _, s := range l.sites {
		switch s.op.Kind {
		case dialect.CtaSync, dialect.NamedBarrierSync, dialect.ClusterSync, dialect.ClusterWait, dialect.GridSync:
			return true
		case unknownCall:
			if name := strings.ToLower(s.op.Name); strings.Contains(name, "sync") && !strings.Contains(name, "async") {
				return true
			}
		}
	}
	return false
}

// heldBack is a wait by which the signalling role stays within a ring of what the waiting role gives back after its wait;
// nil where something keeps it closer, or nothing is known to.
func (p *Pass) heldBack(q, signal *roleUse, uses []*roleUse) (ring *roleUse) {
	late := map[string]bool{}
	for _, u := range uses {
		if !u.wait && u.s.order > q.s.order && covers(q.s.loop().stmt.Where(), u.s.op.Span) {
			late[u.base] = true
		}
	}
	for _, u := range uses {
		if !u.wait || !late[u.base] || !exclusive(u.s, q.s) {
			continue
		}
		if !p.ringFromFree(u) {
			return nil
		}
		if u.s.loop() == signal.s.loop() && u.s.order < signal.s.order {
			ring = u
		}
	}
	return ring
}

// ringFromFree reports whether a wait goes round a ring of more than one slot, all of them free at first:
// wait(b[i % n], ((i + n) / n) % 2), or with (i / n + 1), or with ^ 1.
func (p *Pass) ringFromFree(u *roleUse) bool {
	l := u.s.loop()
	if l == nil || u.index == nil {
		return false
	}
	counter, n, ok := p.fn.modulo(u.index)
	if !ok || n == 1 || !l.varies(counter) {
		return false
	}
	slots := p.fn.value(u.index).(*program.Binary).Y
	phase, isBinary := p.fn.value(u.phase).(*program.Binary)
	if !isBinary {
		return false
	}
	if one, constant := p.fn.fold(phase.Y); phase.Op == "^" && constant && one == 1 {
		return true
	}
	if two, known := p.fn.fold(phase.Y); !known || phase.Op == "%" && two != 2 || phase.Op == "&" && two != 1 {
		return false
	}
	switch q := p.fn.value(phase.X).(type) {
	case *program.Binary:
		if q.Op == "+" {
			one, constant := p.fn.fold(q.Y)
			return constant && one == 1
		}
		if sum, plus := p.fn.value(q.X).(*program.Binary); q.Op == "/" && plus && sum.Op == "+" {
			return same(q.Y, slots) && same(sum.Y, slots)
		}
	}
	return false
}
