// Package engine says what an engine answers: a verdict a property, a trace that shows a violation, and the limits
// it worked under. The engines live in the packages below it.
package engine

import (
	"time"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Verdict is an engine's answer. The zero value is Inconclusive, so that nothing becomes clean by omission.
type Verdict uint8

// Verdicts.
const (
	Inconclusive Verdict = iota
	Holds
	Violated
)

func (v Verdict) String() string { return [...]string{"inconclusive", "holds", "violated"}[v] }

// Limits bound one search. Zero means the default (Defaults).
type Limits struct {
	States int           // distinct states stored
	Proof  int           // the work of deciding without a search, in states that take as long; 0 means as many as States
	Memory int64         // bytes for the state store
	Time   time.Duration // wall clock; can only turn holds into inconclusive
	Work   time.Duration // of executing compiled kernels: counted steps, as the time that these take on one machine, so that another one says the same
}

// Step is one step of a trace: N threads of Class execute the operation at location Op, one after the other; or, with
// Completion set, N operations issued there complete.
type Step struct {
	Class      int
	Op         int
	N          int
	Completion bool
}

// Standing is how a barrier or a flag stands at some moment of a trace.
type Standing struct {
	Object string // "gate of CTA 0"
	State  string // "phase 1, 170 of 256 arrivals pending"
	Phase  int    // of an mbarrier; of the barrier of a cluster, its generation
	Come   int    // arrivals or threads of this phase that have come
	Need   int    // of how many; 0 where none are counted
	Bytes  int    // of an mbarrier, outstanding
}

// Trace is an execution from the initial state. For Race, Pair names the two conflicting accesses at its end.
type Trace struct {
	Steps []Step
	Pair  *Pair
}

// Pair is a race: two accesses that may happen at the same time.
type Pair struct{ First, Second Accessor }

// Accessor is one side of a race: a thread of Class at Location does Access number Index of its block; or, when
// InFlight, the operation issued at Location does its access number Index.
type Accessor struct {
	Class    int
	Location int
	Index    int
	InFlight bool
}

// Answer is an engine's answer for one property.
type Answer struct {
	Verdict Verdict
	Reason  string     // why inconclusive, or how it was decided
	Code    limit.Code // of why it is inconclusive; 0 where it is not
	Trace   *Trace     // for Violated
	Object  int        // the mbarrier, named barrier, flag or buffer concerned, -1 if none
}

// Undecided is an answer that is none.
func Undecided(why limit.Reason) Answer {
	return Answer{Reason: why.Text, Code: why.Code, Object: -1}
}

// Wrong reports whether a result has an error: a violation that is more than a warning.
func (r *Result) Wrong() bool {
	for prop, a := range r.Properties {
		if a.Verdict == Violated && !prop.Warning() {
			return true
		}
	}
	return false
}

// Result is an engine's answer for a protocol.
type Result struct {
	Engine     string
	Properties map[protocol.Property]Answer
	States     int
	Depth      int
	Elapsed    time.Duration
	Compiling  time.Duration // the part of Elapsed in which a checker was made for the protocol
	Memory     int64         // bytes of the largest search, 0 where the engine does not tell
	Complete   bool          // every reachable state was covered (searched, or shown covered by the argument of the reduction used)
}
