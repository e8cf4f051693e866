package explore

import (
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// maxTrial bounds the work of reducing one trace, in steps of threads and slots looked at. To see that no step can be
// dropped takes as many as the square of the trace's length: it is enough for some two thousand steps.
const maxTrial = 1 << 22

// How many slots are looked at, and threads of one step moved, in the time of a step.
const (
	slotsPerStep   = 16
	threadsPerStep = 4
)

// reduction makes a trace shorter.
type reduction struct {
	*judge
	prop  protocol.Property
	pair  *engine.Pair
	steps []engine.Step
	work  int
	at    protocol.State // before the step that is tried
	try   protocol.State
	spare []engine.Step
}

// reduce drops what a trace does not need to show its violation, until no step and no thread of a step can be dropped;
// where maxTrial ends it before, what is left may have some that could. Who is dropped from a step stays there, and so
// what depends on that is dropped too: what a role does that has nothing to do with the violation goes at once.
func (j *judge) reduce(t *engine.Trace, prop protocol.Property) *engine.Trace {
	r := &reduction{judge: j, prop: prop, pair: t.Pair, steps: j.joined(t, prop)}
	r.at, r.try = j.m.Start(), j.m.Start()
	r.cut()
	r.roles()
	if prop != protocol.Deadlock && prop != protocol.Livelock {
		r.backwards()
	}
	for n := -1; n != len(r.steps); {
		// A round in which nothing is dropped after a step at which something was need not go beyond it.
		for end := len(r.steps); end > 0; {
			end = r.round(end)
		}
		n = len(r.steps)
		r.steps = j.joined(&engine.Trace{Steps: r.steps, Pair: t.Pair}, prop)
		r.cut()
	}
	return &engine.Trace{Steps: r.steps, Pair: t.Pair}
}

// cut ends a trace for Attribution with the first arrival that goes to another phase, thread by thread: what comes before a
// later one need not be needed for that.
func (r *reduction) cut() {
	if r.prop != protocol.Attribution {
		return
	}
	copy(r.try, r.m.Start())
	for i, step := range r.steps {
		all := step.N
		step.N = 1
		for n := range all {
			r.work++
			if ok, broken := r.play(r.try, step); !ok || broken || r.work > maxTrial {
				return
			}
			if _, bad, _ := r.misattributed(step.Class, step.Op); bad {
				steps := slices.Clone(r.steps[:i])
				if n > 0 {
					steps = append(steps, engine.Step{Class: step.Class, Op: step.Op, N: n, Completion: step.Completion})
				}
				r.steps = append(steps, step)
				return
			}
		}
	}
}

// roles drops, of each class in turn, as much as it can of the end of what it does, by halves: where a role has nothing to do
// with the violation, or no more, that takes few attempts.
func (r *reduction) roles() {
	copy(r.at, r.m.Start())
	for c := range r.p.Classes {
		var own []int // the steps of c
		for k, step := range r.steps {
			if step.Class == c {
				own = append(own, k)
			}
		}
		for keep, n := 0, len(own); keep < n && r.work < maxTrial; {
			half := (keep + n) / 2
			from := own[half]
			if r.attempt(0, func(k int) int {
				if r.steps[k].Class == c && k >= from {
					return 0
				}
				return r.steps[k].N
			}) {
				// What is left of c are its steps before, and the others may be fewer.
				own = own[:0]
				for k, step := range r.steps {
					if step.Class == c {
						own = append(own, k)
					}
				}
				n = min(half, len(own))
				continue
			}
			keep = half + 1
		}
	}
}

// backwards tries every step once, the last one first: what comes after the violation goes before what leads to it, which
// it could stand in for.
func (r *reduction) backwards() {
	for i := len(r.steps) - 1; i >= 0 && r.work < maxTrial; i-- {
		if i >= len(r.steps) {
			continue
		}
		copy(r.at, r.m.Start())
		for _, step := range r.steps[:i] {
			r.play(r.at, step)
		}
		r.work += i
		r.shorten(i)
	}
}

// round tries every step before end, and goes on to the last one as soon as one is dropped. It returns the step up to
// which there may be more to drop: 0 if nothing was.
func (r *reduction) round(end int) (last int) {
	copy(r.at, r.m.Start())
	for i := 0; i < end && i < len(r.steps); i++ {
		if r.work > maxTrial {
			return 0
		}
		if r.shorten(i) {
			last, end = i+1, len(r.steps)
		}
		if i < len(r.steps) {
			r.play(r.at, r.steps[i])
		}
	}
	return last
}

// shorten drops step i, or else as many of its threads as it can.
func (r *reduction) shorten(i int) (dropped bool) {
	for i < len(r.steps) && r.without(i, 0) {
		dropped = true
	}
	for i < len(r.steps) && r.steps[i].N > 1 && r.without(i, r.steps[i].N-1) {
		dropped = true
		for n := r.steps[i].N; n > 1 && r.without(i, n/2); n = r.steps[i].N {
		}
	}
	return dropped
}

// without tries the trace with n threads in step i.
func (r *reduction) without(i, n int) bool {
	return r.attempt(i, func(k int) int {
		if k == i {
			return n
		}
		return r.steps[k].N
	})
}

// attempt runs the trace from step i on with as many threads in each step as is said, and of these with as many as can
// execute it then. If that still shows the violation it is the trace.
func (r *reduction) attempt(i int, threads func(k int) int) bool {
	copy(r.try, r.at)
	r.work += len(r.try) / slotsPerStep
	fewer, broken := append(r.spare[:0], r.steps[:i]...), false
	for k := i; k < len(r.steps) && !broken; k++ {
		step := r.steps[k]
		step.N = threads(k)
		r.work += 1 + step.N/threadsPerStep
		if step.N = min(step.N, r.there(step)); step.N < 1 {
			continue
		}
		if step.N, broken = r.take(step); step.N > 0 {
			fewer = append(fewer, step)
		}
	}
	if n := len(fewer) - 1; r.prop == protocol.Attribution && n >= 0 && fewer[n].N > 1 {
		last := fewer[n]
		fewer[n].N, last.N = last.N-1, 1
		fewer = append(fewer, last)
	}
	if r.spare = fewer; !r.ends(fewer, broken) {
		return false
	}
	r.steps = slices.Clone(fewer)
	return true
}

// take executes a step. For Arrivals it does so thread by thread, to end with the one whose arrival is too many.
func (r *reduction) take(step engine.Step) (n int, broken bool) {
	if r.prop != protocol.Arrivals {
		if ok, broken := r.play(r.try, step); ok {
			return step.N, broken
		}
		return 0, false
	}
	all := step.N
	for step.N = 1; n < all && !broken; n++ {
		if _, broken = r.play(r.try, step); broken {
			return n + 1, true
		}
	}
	return n, broken
}

// there is how many threads could execute a step now.
func (r *reduction) there(step engine.Step) int {
	if step.Completion {
		return r.m.Flying(r.try, step.Class, step.Op)
	}
	if !r.m.Enabled(r.try, step.Class, step.Op) {
		return 0
	}
	return r.m.Together(step.Class, step.Op, r.m.At(r.try, step.Class, step.Op))
}

// ends reports whether the steps that were just run show the violation.
func (r *reduction) ends(steps []engine.Step, broken bool) (yes bool) {
	switch r.prop {
	case protocol.Arrivals, protocol.Attribution: // are about the last step
		if broken == (r.prop == protocol.Arrivals) {
			r.work += len(steps)
			_, yes = r.shows(&engine.Trace{Steps: steps}, r.prop)
		}
	default:
		if !broken {
			_, yes = r.violates(r.try, r.prop, r.pair)
		}
		yes = yes && (r.prop != protocol.Race || r.apart(r.try, r.pair))
	}
	return yes
}

// apart reports whether the sides of a race are two threads' where they must be: the counts of a state do not say so where
// there are one operation in flight and one thread. The schedule that the trace is made of does, so it stays.
func (j *judge) apart(s protocol.State, pair *engine.Pair) bool {
	a, b := &accessor{Accessor: pair.First, Access: access(j.p, pair.First)}, &accessor{Accessor: pair.Second, Access: access(j.p, pair.Second)}
	if a.Class != b.Class || !a.InFlight && !b.InFlight {
		return true
	}
	a.count = j.p.Classes[a.Class].Count
	b.count = a.count
	if w := conflict(j.p, a, b); w.same || sure(a, b, w) {
		return true
	}
	return s[j.slot(pair.First)] >= 2 || s[j.slot(pair.Second)] >= 2
}

// joined merges neighbouring steps. That fails where a thread gets to an operation only by the step of another before
// it; the steps then stay as they are.
func (j *judge) joined(t *engine.Trace, prop protocol.Property) []engine.Step {
	steps := t.Steps
	if n := len(steps) - 1; prop == protocol.Attribution && n >= 0 {
		steps = append(merge(steps[:n]), steps[n]) // the arrival that it is about stays a step of its own
	} else {
		steps = merge(steps)
	}
	if _, yes := j.shows(&engine.Trace{Steps: steps, Pair: t.Pair}, prop); yes {
		return steps
	}
	return t.Steps
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
