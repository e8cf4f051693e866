package explore

import (
	"context"
	"fmt"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

const (
	// smallThreads and smallStates say when a plain search comes first: its traces are the shortest there are.
	smallThreads = 64
	smallStates  = 20000
	// afterStates bounds the search for what else is wrong with a protocol that is known to be.
	afterStates = 100000
)

// Check decides every property of p within the limits: by search when p is small, else by the argument of the package
// documentation when it applies, else by search up to the limits.
func Check(ctx context.Context, p *protocol.Protocol, lim engine.Limits) *engine.Result {
	start := time.Now()
	if err := p.Validate(); err != nil {
		return refused(err)
	}
	j := newJudge(p)
	r := j.check(ctx, withDefaults(lim))
	r.Elapsed = time.Since(start)
	return r
}

func (j *judge) check(ctx context.Context, lim engine.Limits) *engine.Result {
	found := map[protocol.Property]engine.Answer{}
	states, stop := 0, time.Now().Add(lim.Time)
	threads := 0
	for c := range j.p.Classes {
		threads += j.p.Classes[c].Count
	}
	if threads <= smallThreads {
		small := lim
		small.States = min(small.States, smallStates)
		r := newSearch(ctx, j, small, nil).run()
		if r.Complete {
			return r
		}
		states = r.States
		keep(found, r.Properties)
	}
	pr := prove(ctx, j, stop)
	if pr.monotone != nil {
		pr.races()
	}
	states += pr.work
	keep(pr.found, found) // the search's traces are shorter
	if pr.differs == "" {
		r := pr.result()
		r.States = states
		return r
	}
	j.scout(pr.found)
	for prop, a := range pr.found {
		if a.Reason == "" {
			a.Reason = "found by holding one thread back"
			pr.found[prop] = a
		}
		if !prop.Warning() {
			lim.States = min(lim.States, afterStates)
		}
	}
	lim.Time = max(time.Until(stop), time.Millisecond)
	r := newSearch(ctx, j, lim, pr.found).run()
	r.States += states
	for prop, a := range r.Properties {
		if a.Verdict == engine.Inconclusive {
			a.Reason += "; no proof without search: " + pr.differs
			r.Properties[prop] = a
		}
	}
	return r
}

// keep copies the violations.
func keep(to, from map[protocol.Property]engine.Answer) {
	for prop, a := range from {
		if a.Verdict == engine.Violated {
			to[prop] = a
		}
	}
}

// result answers every property once F is shown to equal M: all executions end like the canonical one, and what the
// frozen runs did not find does not happen.
func (pr *proof) result() *engine.Result {
	how := fmt.Sprintf("%d classes, %s frozen runs", len(pr.p.Classes), number(pr.runs))
	if occ := pr.occupied(pr.canon.Final); !pr.stuck(occ).done {
		prop := protocol.Deadlock
		if pr.stuck(occ).spins {
			prop = protocol.Livelock
		}
		pr.mustShow(prop)
	} else {
		for _, prop := range []protocol.Property{protocol.Bytes, protocol.Quiet} {
			if _, bad := pr.leftover(pr.canon.Final, prop); bad {
				pr.mustShow(prop)
			}
		}
	}
	r := &engine.Result{Engine: Name, Properties: map[protocol.Property]engine.Answer{}, Complete: true}
	for _, prop := range protocol.Properties {
		a, violated := pr.found[prop]
		switch {
		case !violated && pr.unsure[prop] != "":
			a = engine.Answer{Reason: pr.unsure[prop], Object: -1}
		case !violated:
			a = engine.Answer{Verdict: engine.Holds, Reason: how, Object: -1}
		case a.Reason == "":
			a.Reason = how
		}
		if a.Trace != nil {
			r.Depth = max(r.Depth, len(a.Trace.Steps))
		}
		r.Properties[prop] = a
	}
	return r
}

// mustShow claims what the canonical execution ends in.
func (pr *proof) mustShow(prop protocol.Property) {
	if !pr.claim(prop, pr.canonicalSteps(), nil) {
		pr.unsure[prop] = "the canonical execution ends badly, but its trace does not replay"
	}
}

func (j *judge) canonicalSteps() []engine.Step {
	var out []engine.Step
	for _, b := range j.canon.Batches {
		out = append(out, engine.Step{Class: b.Class, Op: b.Op, N: b.N, Completion: b.Completion})
	}
	return out
}
