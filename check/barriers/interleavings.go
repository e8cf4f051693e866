package barriers

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/protocol"
)

// propertyOf is what a check is called in a protocol.
var propertyOf = map[order.Check]protocol.Property{order.Deadlock: protocol.Deadlock, order.Arrivals: protocol.Arrivals, order.Attribution: protocol.Attribution,
	order.Phase: protocol.Phase, order.Bytes: protocol.Bytes, order.Lifetime: protocol.Lifetime, order.Race: protocol.Race}

// searchTime bounds the search of the interleavings of one run.
const searchTime = 10 * time.Second

// interleave searches the interleavings of the program where its phases are not told apart by happens-before: engine/order then says nothing of
// the other executions, and the kernel may be right all the same. What of named barriers follows from the commands alone is as it was seen.
func (r *Report) interleave(o order.Options) {
	if o.WarpSynchronous || len(r.Execution.Stuck)+len(r.Execution.Peeks) > 0 || !r.unordered() {
		return
	}
	l, err := r.Execution.Program.Lower()
	if err != nil {
		r.Result.Reason = limit.Unshown.Sayf("which phase an arrival counts in depends on the order of others, and interleavings are not searched: %v", err)
		return
	}
	limits := engine.Limits{Time: searchTime}
	if o.Limits.Time > 0 {
		limits.Time = min(limits.Time, o.Limits.Time)
	}
	exact := r.everyone() // else threads of a warp come to a barrier one by one, which they do not
	found := explore.Check(context.Background(), l.Protocol, limits)
	r.Searched = found.States
	for c, p := range propertyOf {
		a := found.Properties[p]
		if c == order.Deadlock && a.Verdict == engine.Holds {
			a = found.Properties[protocol.Livelock]
		}
		switch {
		case r.Checks[c] != engine.Inconclusive:
		case a.Verdict != engine.Violated:
			r.Checks[c] = a.Verdict
			if a.Verdict == engine.Inconclusive {
				r.Result.Reason = a.Code.Says("which phase an arrival counts in depends on the order of others; explore: " + a.Reason)
			}
		default:
			if f, is := shown(l, p, c, a); is && exact {
				r.Checks[c] = engine.Violated
				r.Findings = append(r.Findings, f)
			}
		}
	}
	for _, c := range []order.Check{order.Counts, order.Divergence, order.Unwaited} {
		if r.Checks[c] == engine.Inconclusive {
			r.Checks[c] = engine.Holds
		}
	}
	if exact {
		for _, c := range []order.Check{order.Registration, order.Recycling} {
			if r.Checks[c] == engine.Inconclusive {
				r.Checks[c] = engine.Holds
			}
		}
	}
}

// unordered reports whether attribution is all that is wrong, and other checks are open for it.
func (r *Report) unordered() bool {
	open := false
	for c, v := range r.Checks {
		if v == engine.Violated && !order.Check(c).Warning() {
			return false
		}
		open = open || v == engine.Inconclusive
	}
	return open && r.Checks[order.Attribution] == engine.Violated
}

// everyone reports whether all threads of a CTA come to each of its named barriers: of those nobody can be of another generation.
func (r *Report) everyone() bool {
	p := r.Execution.Program
	threads := make([]int, p.CTAs)
	for _, w := range p.Warps {
		threads[w.CTA] += ir.Lanes
	}
	for _, w := range p.Warps {
		if slices.ContainsFunc(w.Commands, func(c order.Command) bool {
			return (c.Kind == order.NamedArrive || c.Kind == order.NamedSync) && c.C != 0 && int(c.C) != threads[w.CTA]
		}) {
			return false
		}
	}
	return true
}

// shown is the finding of a counterexample, which is replayed.
func shown(l *order.Lowered, p protocol.Property, c order.Check, a engine.Answer) (order.Finding, bool) {
	f := order.Finding{Check: c, Barrier: -1, Text: "in some interleaving " + saidOf[c]}
	if a.Trace == nil {
		return f, false
	}
	outcome, err := replay.Run(l.Protocol, a.Trace, p)
	if err != nil {
		return f, false
	}
	for _, s := range outcome.Steps {
		f.Trace.Add(order.Step{Place: l.Operation(s.Class, s.Op).Place, CTA: l.Protocol.Classes[s.Class].CTA, Threads: s.Indices, Text: s.Effect})
	}
	for _, b := range outcome.Blocked {
		at, _, _ := strings.Cut(b.At, " (line ")
		f.Trace.Waiting = append(f.Trace.Waiting, order.Step{Place: l.Operation(b.Class, b.Op).Place, CTA: l.Protocol.Classes[b.Class].CTA, Threads: b.Indices, Text: at})
	}
	switch pair := a.Trace.Pair; {
	case pair != nil:
		f.Points = []order.Point{l.Access(pair.First), l.Access(pair.Second)}
	case len(outcome.Blocked) > 0:
		for _, b := range outcome.Blocked {
			f.Points = append(f.Points, l.Operation(b.Class, b.Op))
		}
	case len(outcome.Steps) > 0:
		last := outcome.Steps[len(outcome.Steps)-1]
		f.Points = []order.Point{l.Operation(last.Class, last.Op)}
	}
	return f, len(f.Points) > 0
}

// saidOf is what is wrong with a kernel that breaks a check.
var saidOf = map[order.Check]string{
	order.Deadlock: "threads wait for ever", order.Arrivals: "an mbarrier gets more arrivals than its phase has left", order.Attribution: "an arrival is credited to another phase",
	order.Phase: "a wait passes a phase early, or misses one", order.Bytes: "transaction bytes do not come out even",
	order.Lifetime: "an mbarrier is used before its init, or when its CTA is gone", order.Race: "nothing orders this access and another one, of which one is a write",
}
