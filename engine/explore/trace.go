package explore

import (
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// shows runs a trace in the machine and reports whether it ends in a violation of prop, and of which object.
func (j *judge) shows(t *engine.Trace, prop protocol.Property) (object int, yes bool) {
	s := j.m.Start()
	last := len(t.Steps) - 1
	for i, step := range t.Steps {
		if i == last && prop == protocol.Arrivals && step.N > 1 {
			// The arrival that is too many must be the very last.
			step.N--
			if ok, broken := j.play(s, step); !ok || broken {
				return -1, false
			}
			step.N = 1
		}
		ok, broken := j.play(s, step)
		if !ok || broken != (i == last && prop == protocol.Arrivals) {
			return -1, false
		}
	}
	switch {
	case prop != protocol.Arrivals && prop != protocol.Attribution:
		return j.violates(s, prop, t.Pair)
	case last < 0:
		return -1, false
	case prop == protocol.Arrivals:
		return j.m.Credits[len(j.m.Credits)-1].Mbar, true
	}
	object, bad, _ := j.misattributed(t.Steps[last].Class, t.Steps[last].Op)
	return object, bad && t.Steps[last].N == 1
}

// play executes one step of a trace; ok is false when it is not possible, broken when it exceeds a pending count.
func (j *judge) play(s protocol.State, step engine.Step) (ok, broken bool) {
	if step.N < 1 {
		return false, false
	}
	if step.Completion {
		if j.m.Flying(s, step.Class, step.Op) < step.N {
			return false, false
		}
		return true, !j.m.Complete(s, step.Class, step.Op, step.N)
	}
	if j.m.At(s, step.Class, step.Op) < step.N || !j.m.Enabled(s, step.Class, step.Op) || j.m.Together(step.Class, step.Op, step.N) < step.N {
		return false, false
	}
	return true, !j.m.Step(s, step.Class, step.Op, step.N)
}

// violates evaluates a property that is a predicate over one state.
func (j *judge) violates(s protocol.State, prop protocol.Property, pair *engine.Pair) (object int, yes bool) {
	occ := j.occupied(s)
	switch prop {
	case protocol.Phase:
		return j.phase(s, occ)
	case protocol.Lifetime:
		return j.lifetime(s, occ)
	case protocol.Race:
		if pair == nil || !j.races(s, pair) {
			return -1, false
		}
		return access(j.p, pair.First).Buffer, true
	}
	if j.canStep(s, occ) {
		return -1, false
	}
	r := j.stuck(occ)
	switch prop {
	case protocol.Deadlock:
		return r.object, !r.done && !r.spins
	case protocol.Livelock:
		return r.object, !r.done && r.spins
	}
	if !r.done {
		return -1, false
	}
	return j.leftover(s, prop)
}

// races reports whether both sides of a pair are there. A pair whose threads the state leaves open counts: the run
// that led to it says which threads they are.
func (j *judge) races(s protocol.State, pair *engine.Pair) bool {
	x, y := j.slot(pair.First), j.slot(pair.Second)
	a, b := accessor{Accessor: pair.First, Access: access(j.p, pair.First)}, accessor{Accessor: pair.Second, Access: access(j.p, pair.Second)}
	if x == y && !unordered(j.p, &a, &b) {
		return s[x] >= 2
	}
	return s[x] > 0 && s[y] > 0
}
