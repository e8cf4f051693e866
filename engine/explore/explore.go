// Package explore is the embedded engine: it decides every property of a protocol exactly, on counted states, with
// nothing installed.
//
// Search visits every reachable state. That is the reference, and it is what small protocols get that have an error, as
// its traces are the shortest. At launch size, with hundreds of threads a class, it is hopeless; but the programs of a protocol are
// straight lines, and for those most questions have an answer without a search. Check gives that answer where the
// following argument applies, and searches up to the limits where it does not.
//
// # The monotone system M
//
// Let F be the protocol's real semantics (package protocol). M has the same programs, but every wait is a threshold:
// a parity wait for phase k (k from the canonical execution) becomes "Φ ≥ k+1", a registered thread leaves a named
// barrier when the generation it registered in is complete, and so on. In M every operation only raises counters and
// every guard is "counter ≥ threshold", so what is enabled stays enabled, the order of steps does not matter, and
// there is one maximal execution. More: freeze some threads at a location, or some operation in flight; then the
// maximal execution under the freeze brings every other thread and every counter as far as any execution that
// respects the freeze can. A state that needs thread p at l and thread q at m exists exactly if freezing both lets
// both get there. All unfrozen threads of a class move together, so a run costs the same for 4 threads and for 1024.
//
// Drain is the one guard that can be disabled again, by an operation that is kept in flight. An operation to be kept
// is issued only when everything that does not depend on its issue has happened; whatever could pass a Drain before
// the issue has done so, and whatever depends on the issue could not.
//
// # When F equals M
//
// By induction over the length of an execution, F and M take the same steps until a reachable state of M in which
// they differ. Each way to differ is excluded by frozen runs of M itself (conditions.go names them; TestConditions has, for
// each, a protocol of which the proof would say something wrong without it):
//
//   - Late: a thread at a wait for k while Φ ≥ k+2, so that parity may block it. Freeze a thread at the wait and run;
//     Φ must stay below k+2. Exact.
//   - Early: a thread at a wait for k while Φ ≤ k-1, so that parity may let it pass. It cannot be if the same thread
//     waited for phase k-1 of the object before. Otherwise, where no arrival strays (C1 below), freeze each arrival
//     for phase k-1 and run, or keep the object from passing phase k-1 and run: no thread may reach the wait.
//   - The phase of an mbarrier: if all its arrivals have the same count, and it has no transaction bytes and no drops,
//     then Φ is the sum of arrivals divided by the expected count, in F as in M. Otherwise M
//     says that a phase is complete when all the contributions are there that the canonical execution credits to it.
//     F agrees if no contribution to phase k+1 can happen before all those of phase k have: freeze each contribution,
//     a thread before it or an operation in flight, and run; nothing may contribute to the next phase (condition C1
//     of notes/semantics.md 2.6). Then, inside a phase, pending never drops below zero, and tx is zero with pending
//     zero only at its end, provided that a stand-alone expect_tx comes before some arrival of its phase (C4):
//     freeze it and run; some arrival must be outstanding. The last phase, which is not complete in the end, must not
//     have more bytes completed than expected. Drops of the expected count are contributions like others: what a phase
//     expects is then fixed by the drops credited to the phases before it, which have all happened when it begins.
//   - Counted named barriers: as for phases, with generations (WEFT's condition, notes/semantics.md 2.4): freeze a
//     registration; nothing may register in the next generation.
//   - CTA-wide and cluster barriers: a thread's nth use is in generation n, as no generation completes without every
//     live thread. An exit stands for the uses that the thread does not make. A bare arrive on a CTA-wide barrier is
//     refused.
//   - Flags must only rise (positive adds, or rising stores of one class), and every spin reached must stay enabled
//     once it is: >= and > always; == v where the flag is never past v while a thread is there (freeze a thread at the
//     spin and run; the flag must stay at or below v. Exact, and then == v is >= v in every state that matters); the
//     others where the flag's range makes them so.
//   - An init must happen once, before every use. Freeze it and run.
//
// # What is decided then
//
// All executions end like the canonical one: Deadlock, Livelock, Bytes, Quiet. Arrivals holds, and Phase, by the
// conditions. Race: freeze the two sides of each pair of conflicting accesses. Lifetime: freeze a thread at its use
// of another CTA's memory and see whether that CTA ends. Attribution: freeze an arrival of phase k and see whether
// the phase completes without it; if no arrival can be late then none can be early, as every phase takes a fixed
// number of arrivals.
//
// The frozen runs of one class need not start anew: the maximal run with a thread frozen at one location begins the
// maximal run with it frozen at the next. Nor does every class need its own: warps that can be exchanged share them
// (twins.go).
//
// Locks are left out before (locks.go).
//
// Every violation found in M is a schedule, and counts only if it runs in F and ends there in the violation. Where F
// is not shown to equal M, such schedules, and runs of F with one thread held back, are a way to find violations;
// nothing is then said to hold without a search.
package explore

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/certificate"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/protocol"
)

const (
	// smallThreads and smallStates say what is searched although there is, or may be, an answer without.
	smallThreads = 64
	smallStates  = 20000
	// afterStates bounds the search for what else is wrong with a protocol that is known to be.
	afterStates = 100000
)

// Check decides every property of p within the limits: by the argument of the package documentation when it applies,
// else by search up to the limits.
func Check(ctx context.Context, p *protocol.Protocol, lim engine.Limits) *engine.Result {
	start := time.Now()
	if err := p.Validate(); err != nil {
		return refused(err)
	}
	r := newJudge(p).whole(ctx, withDefaults(lim), nil)
	r.Elapsed = time.Since(start)
	return r
}

// whole checks a protocol without its locks, if that says what it is to, and else with them.
func (j *judge) whole(ctx context.Context, lim engine.Limits, record *certificate.Certificate) *engine.Result {
	if u := withoutLocks(j); u != nil {
		u.record = record
		if r := u.result(u.check(ctx, lim)); r != nil {
			if record != nil {
				record.Unlocked = true
			}
			return r
		}
		if record != nil {
			*record = certificate.Certificate{}
		}
	}
	j.record = record
	return j.check(ctx, lim)
}

func (j *judge) check(ctx context.Context, lim engine.Limits) *engine.Result {
	found := map[protocol.Property]engine.Answer{}
	states := 0
	pr := prove(j, newMeter(ctx, lim, time.Now().Add(lim.Time)))
	if pr.monotone != nil {
		pr.races()
		pr.late() // what a limit has cut short shows nothing
	}
	if pr.differs == "" {
		if pr.witness != nil {
			j.record.Frozen = pr.witness.Frozen
		}
		r := pr.result()
		r.States = pr.states()
		if j.threads() <= smallThreads {
			j.shorter(pr.clock, lim, r)
		}
		return r
	}
	if j.threads() <= smallThreads {
		small := lim
		small.States = min(small.States, smallStates)
		r := newSearch(pr.clock, j, small, nil).run()
		if r.Complete {
			return r
		}
		states = r.States
		keep(found, r.Properties)
	}
	states += pr.states()
	keep(pr.found, found) // the search's traces are shorter
	states += j.scout(pr.clock, lim, pr.found) / slotsPerState
	for prop, a := range pr.found {
		if a.Reason == "" {
			a.Reason = "found by holding one thread back"
			pr.found[prop] = a
		}
		if !prop.Warning() {
			lim.States = min(lim.States, afterStates)
		}
	}
	r := newSearch(pr.clock, j, lim, pr.found).run()
	r.States += states
	for prop, a := range r.Properties {
		if a.Verdict == engine.Inconclusive {
			a.Reason += "; that all of these are alike is not shown: " + pr.differs
			r.Properties[prop] = a
		}
	}
	return r
}

func (j *judge) threads() (n int) {
	for c := range j.p.Classes {
		n += j.p.Classes[c].Count
	}
	return n
}

// shorter searches a small protocol that is proved for what the proof leaves open, and for the shortest traces of errors.
// A thread that hangs, and what is left at the end, needs no search, as all executions end alike: they take the same steps.
// A warning does not pay for one.
func (j *judge) shorter(c clock, lim engine.Limits, r *engine.Result) {
	known := maps.Clone(r.Properties)
	for prop, a := range r.Properties {
		switch prop {
		case protocol.Race, protocol.Lifetime, protocol.Phase, protocol.Arrivals:
			if a.Verdict == engine.Violated {
				delete(known, prop)
			}
		}
		if a.Verdict == engine.Inconclusive {
			delete(known, prop)
		}
	}
	if len(known) == len(r.Properties) {
		return
	}
	lim.States = min(lim.States, smallStates)
	s := newSearch(c, j, lim, known).run()
	r.States += s.States
	for prop, a := range s.Properties {
		if a.Verdict != engine.Inconclusive {
			r.Properties[prop] = a
		}
	}
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
		case !violated && pr.unsure[prop].Code != 0:
			a = engine.Undecided(pr.unsure[prop])
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

// mustShow shows what the canonical execution ends in. Nothing can be dropped from it: all executions that end take the
// same steps.
func (pr *proof) mustShow(prop protocol.Property) {
	t := &engine.Trace{Steps: pr.canonicalSteps()}
	t.Steps = pr.joined(t, prop)
	object, yes := pr.shows(t, prop)
	if !yes {
		pr.unsure[prop] = limit.Internal.Says("the canonical execution ends badly, but its trace does not replay")
		return
	}
	pr.found[prop] = engine.Answer{Verdict: engine.Violated, Trace: t, Object: object}
}

func (j *judge) canonicalSteps() []engine.Step {
	var out []engine.Step
	for _, b := range j.canon.Batches {
		out = append(out, engine.Step{Class: b.Class, Op: b.Op, N: b.N, Completion: b.Completion})
	}
	return out
}
