package explore

import (
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// maxReduce is the longest trace that is reduced: each attempt runs the trace anew.
const maxReduce = 2000

// maxTrial bounds the work of reducing a trace, in steps, threads and slots looked at.
const maxTrial = 1 << 25

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
	if j.m.At(s, step.Class, step.Op) < step.N || !j.m.Enabled(s, step.Class, step.Op) {
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
	if x == y {
		return s[x] >= 2
	}
	return s[x] > 0 && s[y] > 0
}

// reduce drops steps and threads from a trace as long as it still shows the violation, so that each step that is left
// is needed, and merges neighbours.
func (j *judge) reduce(t *engine.Trace, prop protocol.Property) *engine.Trace {
	// The arrival that Attribution is about stays a step of its own.
	join := func(steps []engine.Step) []engine.Step {
		if prop != protocol.Attribution || len(steps) == 0 {
			return merge(steps)
		}
		n := len(steps) - 1
		return append(merge(steps[:n]), steps[n])
	}
	// Joining fails where a thread gets to an operation only by the step of another before it.
	joined := func(t *engine.Trace) *engine.Trace {
		u := &engine.Trace{Steps: join(t.Steps), Pair: t.Pair}
		if _, yes := j.shows(u, prop); yes {
			return u
		}
		return t
	}
	t = &engine.Trace{Steps: joined(t).Steps, Pair: t.Pair}
	if len(t.Steps) > maxReduce {
		return t
	}
	cost := len(t.Steps) + len(j.m.Slots)
	for _, s := range t.Steps {
		cost += s.N / 4
	}
	budget := min(4*maxReduce, maxTrial/cost)
	try := func(steps []engine.Step) bool {
		if budget--; budget < 0 {
			return false
		}
		_, yes := j.shows(&engine.Trace{Steps: steps, Pair: t.Pair}, prop)
		return yes
	}
	for i := len(t.Steps) - 1; i >= 0; i-- {
		if i >= len(t.Steps) {
			continue
		}
		if fewer := slices.Delete(slices.Clone(t.Steps), i, i+1); try(fewer) {
			t.Steps = fewer
			continue
		}
		for _, n := range []int{1, t.Steps[i].N / 2, t.Steps[i].N - 1} {
			if n < 1 || n >= t.Steps[i].N {
				continue
			}
			fewer := slices.Clone(t.Steps)
			fewer[i].N = n
			if try(fewer) {
				t.Steps = fewer
				break
			}
		}
	}
	return joined(t)
}

// merge joins neighbouring steps of the same operation.
func merge(steps []engine.Step) []engine.Step {
	var out []engine.Step
	for _, s := range steps {
		if n := len(out); n > 0 && out[n-1].Class == s.Class && out[n-1].Op == s.Op && out[n-1].Completion == s.Completion {
			out[n-1].N += s.N
			continue
		}
		out = append(out, s)
	}
	return out
}
