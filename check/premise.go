package check

import (
	"context"
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/protocol"
)

// premise takes back what is said of an instance that was made with values which the kernel may not read: whoever was
// taken to branch one way may branch another. A counterexample stays in which nobody reads anything else; so does a race
// on the memory that the values are in, which is where the first read of anything else is.
func (e engines) premise(ctx context.Context, p *protocol.Protocol, answers map[protocol.Property]*answer, d *decision, lim engine.Limits) {
	if p.Premise == nil {
		return
	}
	stands, wrong := map[protocol.Property]bool{}, false
	for prop, a := range answers {
		stands[prop] = a.verdict == engine.Violated && (prop == protocol.Race && carries(p.Premise, a) || genuine(p.Premise, a.trace))
		wrong = wrong || stands[prop] && !prop.Warning()
	}
	why := limit.DataBranch.Says("values read from shared memory may be others than those it was searched with")
	if !wrong { // else the premise is seldom easier to show than what is wrong is to find
		r := e.explore(ctx, p.Premise, lim)
		d.states += r.States
		switch got := r.Properties[protocol.Race]; got.Verdict {
		case engine.Holds:
			return
		case engine.Inconclusive:
			why = got.Code.Says("values read from shared memory: " + got.Reason)
		}
	}
	for prop, a := range answers {
		if !stands[prop] {
			*a = answer{reason: why, object: -1}
		}
	}
}

// carries reports whether an answer is a race on a buffer that values are read from.
func carries(premise *protocol.Protocol, a *answer) bool {
	return a.verdict == engine.Violated && slices.ContainsFunc(premise.Buffers, func(b protocol.Buffer) bool { return b.Name == a.buffer() })
}

// genuine reports whether every read in an execution gets the value it was taken to get.
func genuine(premise *protocol.Protocol, t *engine.Trace) bool {
	raced, err := replay.Raced(premise, t.Steps)
	return err == nil && !raced
}
