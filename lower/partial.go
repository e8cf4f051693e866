package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/build"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// A loop that a fault keeps from ending cannot be evaluated to its end, but its first rounds can. What every thread does
// up to there is exact, so an execution of these parts is one of the kernel as long as no thread goes beyond its part.
// One in which all threads are blocked before that is a deadlock whatever comes after: the rounds that are not known are
// never reached. Nothing else is concluded from parts.

// Partial is an execution of a kernel of which only parts are known. It ends where no thread can go on.
type Partial struct {
	Protocol *protocol.Protocol
	Batches  []protocol.Batch
	Property protocol.Property // that it violates
}

// partRounds is how many rounds of a loop are evaluated that takes too long to be evaluated to its end. A thread that
// goes on for ever fills or empties a ring after as many rounds as the others make and the ring has stages.
const partRounds = 16

// active is a loop being evaluated.
type active struct {
	loop *program.While
	trip int
}

// ended ends the group at a place from which on its operations are not known.
type ended struct{}

// shorten asks for only the first rounds of the loops that use up the steps of a group.
func (m *machine) shorten() {
	if m.host || m.sampling || m.in.low.fuel < m.in.low.most {
		return
	}
	again := false
	for _, a := range m.active {
		if a.trip > partRounds && !m.in.low.short[a.loop] {
			m.in.low.short[a.loop], again = true, true
		}
	}
	if again {
		panic(restart{})
	}
}

// beyond ends the group where a loop has gone round often enough: it waits for what never comes.
func (m *machine) beyond(st *program.While) {
	f, at := m.place(st.Header)
	b := m.in.beyond(f, at, int(m.cta))
	m.in.noteOpaque(f, at, limit.Size.Sayf("loop that evaluation finds no end of in %d steps", m.in.low.most), true)
	m.emit(protocol.Op{Kind: protocol.Wait, Object: b, Site: m.site(st.Header, "the rounds that were not evaluated")}, st)
	panic(ended{})
}

// partial looks for an execution that violates a property though not all of it is known, in two orders of the threads.
func (w *sweep) partial(p *protocol.Protocol, unknown map[int]bool) {
	back := *p
	back.Classes = slices.Clone(p.Classes)
	slices.Reverse(back.Classes)
	for _, q := range []*protocol.Protocol{p, &back} {
		if q.Premise != nil && q == &back {
			return
		}
		run := protocol.Canonical(q)
		if w.mixedOnTheWay(q, run.Batches) {
			return
		}
		if prop := build.VerdictOf(q, run, unknown); prop != "" {
			w.k.Partials = append(w.k.Partials, Partial{q, run.Batches, prop})
			return
		}
	}
}
