package check

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/protocol"
)

// misdirectedRule tells of a hang at a named barrier by the arrival that went elsewhere.
const (
	misdirectedRule = "FP411"
	helpMisdirected = "arrive at the barrier that they wait in, or let them wait where this arrives"
)

// misdirected is an arrival that was made at a named barrier at which nobody waits or ever will, while threads wait at
// another one of the same count for just as many arrivals, which nobody is left to make. The wait that a hang is usually
// told by says nothing of it: others wait for those threads in turn.
func misdirected(a *answer) (arrival replay.StepInfo, waiting stuck, ok bool) {
	state := a.outcome.State
	for _, s := range stuckAt(a) {
		if s.op.Kind != protocol.NamedSync {
			continue
		}
		lacks := a.instance.Named[s.op.Object]
		if lacks.Threads == 0 || lacks.ID >= protocol.WarpBarrier || ahead(a.instance, state, s.op.Object, true) {
			continue
		}
		for _, step := range a.outcome.Steps {
			op := a.instance.Classes[step.Class].Ops[step.Op]
			if step.Completion || op.Kind != protocol.NamedArrive || op.Object == s.op.Object {
				continue
			}
			got := a.instance.Named[op.Object]
			if got.CTA == lacks.CTA && got.Threads == lacks.Threads && state.Registered[op.Object] == lacks.Threads-state.Registered[s.op.Object] &&
				!ahead(a.instance, state, op.Object, false) {
				return step, s, true
			}
		}
	}
	return replay.StepInfo{}, stuck{}, false
}

// ahead reports whether a thread has a wait at a named barrier before it, or, where arrivals count, anything that would
// register it there. Those that are registered already do not.
func ahead(p *protocol.Protocol, state *replay.State, named int, arrivals bool) bool {
	for c := range p.Classes {
		ops := p.Classes[c].Ops
		last := len(ops)
		for last > 0 && (ops[last-1].Object != named || ops[last-1].Kind != protocol.NamedSync && !(arrivals && ops[last-1].Kind == protocol.NamedArrive)) {
			last--
		}
		for _, t := range state.Threads[c] {
			registered := t.Blocked && ops[t.Location].Object == named
			if t.Location < last && !(arrivals && registered) {
				return true
			}
		}
	}
	return false
}

// sayMisdirected is the message of such a hang.
func sayMisdirected(p *protocol.Protocol, arrival replay.StepInfo, waiting stuck) string {
	id := p.Named[p.Classes[arrival.Class].Ops[arrival.Op].Object].ID
	return fmt.Sprintf("nobody waits in barrier %d, where this arrives, and %s %s for ever in barrier %d", id, waiting.actor(), waits(waiting.actor()), p.Named[waiting.op.Object].ID)
}
