// Package memory decides litmus tests under axiomatic memory models of PTX: which final states some execution reaches,
// whether every thread ends, whether there are data races. Fences and scopes only matter to such a model; an interleaving
// one does not see them.
//
// A test (Read) is a few threads of loads, stores, read-modify-writes, fences, barriers, registers and branches, and a
// question about the final state. A model (LoadModel) is a text of relations and axioms, embedded here and printed by
// `fencepost memory model`.
//
// # Search
//
// An execution is a path through the code of each thread, for each read the write that it reads from, the barriers that
// met, an order of fence.sc and a coherence order. The solver enumerates paths with values left open (paths.go), then
// decides one read after the other, evaluates the model on what is decided (evaluate.go), and goes back as soon as an axiom
// fails, a branch would have gone the other way or the question cannot be answered any more. That loses nothing: every
// relation of a model grows with what is decided, and every axiom forbids something, so what fails for a part fails for
// the whole; compile.go accepts no other model. Values come from the writes read, so those that justify themselves (out of
// thin air) never arise.
//
// The coherence order of PTX is partial, and every axiom forbids more of it if it forbids less. So it is enough to look at
// the smallest orders allowed: those that have what the model says they contain, and one direction of each pair that it
// says is decided (notes/litmus.md 4). The same is true of the order of fence.sc, and of which arrivals a counting barrier
// waited for.
//
// Rounds of loops that change nothing are left out (loops.go has the argument), so waits need no bound. Other loops are
// followed for Options.Bound rounds; what is not found within it is inconclusive, not absent.
package memory

import "context"

// Property is what is asked of a test.
type Property uint8

// The properties.
const (
	// Spec asks what the test asks, of executions in which every thread ends.
	Spec Property = iota
	// Termination asks whether every execution ends under a fair scheduler: no thread goes round for ever in a loop whose
	// reads yield the last values of their cells, or stands at a barrier that never fills.
	Termination
	// Race asks whether no execution has a data race, where the model says what that is.
	Race
	everyRound // Spec, with nothing left out of loops: what tests compare with
)

// Properties lists the properties by their names.
var Properties = []string{"spec", "termination", "race"}

func (p Property) String() string { return Properties[p] }

// Verdict is an answer.
type Verdict uint8

// The verdicts.
const (
	Inconclusive Verdict = iota
	Pass
	Fail
)

func (v Verdict) String() string { return [...]string{"inconclusive", "pass", "fail"}[v] }

// Options say what to look for, and how far.
type Options struct {
	Property Property
	States   bool // look for all final states, not just for an answer
	Bound    int  // rounds of loops that do something; 0: 2
	Limit    int  // steps of the search; 0: 5 million
}

// State is a final state, with how many executions end in it.
type State struct {
	Values     []int64 // of Program.Shown
	Holds      bool    // whether the condition does
	Executions int
}

// Result is what the search found.
type Result struct {
	Verdict    Verdict
	Reason     string // why not every execution was looked at, or empty; an answer may be found all the same
	Observable bool   // an execution has what was looked for: the condition (of forall its negation), a thread that does not end, a race
	States     []State
	Witness    *Execution // the first such execution
	Steps      int        // of the search, of which Options.Limit are allowed
}

// Solve answers a question about a test.
func Solve(ctx context.Context, p *Program, m *Model, o Options) *Result {
	if what := p.beyond(m); what != "" {
		return &Result{Reason: what}
	}
	if o.Bound <= 0 {
		o.Bound = 2
	}
	if o.Limit <= 0 {
		o.Limit = 5_000_000
	}
	s := &search{ctx: ctx, program: p, model: m, options: o, machines: map[int]*machine{}, states: map[string]int{}}
	s.run()
	r := &s.result
	r.Steps = s.spent
	r.Observable = r.Witness != nil
	r.Reason = s.doubt
	switch {
	case !r.Observable && s.doubt != "":
		r.Verdict = Inconclusive
	case o.Property == Spec && p.Quantifier == Exists:
		r.Verdict = verdict(r.Observable)
	default:
		r.Verdict = verdict(!r.Observable)
	}
	return r
}

func verdict(pass bool) Verdict {
	if pass {
		return Pass
	}
	return Fail
}
