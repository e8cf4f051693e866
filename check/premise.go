package check

import (
	"context"
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// premise takes back what is said of an instance that was made with values which the kernel may not read: whoever was
// taken to branch one way may branch another. A race on the memory that the values are in stays, as everything before
// it is an execution of the kernel.
func (e engines) premise(ctx context.Context, p *protocol.Protocol, answers map[protocol.Property]*answer, d *decision, lim engine.Limits) {
	if p.Premise == nil {
		return
	}
	why := "values read from shared memory may be others than those it was searched with"
	if race := answers[protocol.Race]; race.verdict != engine.Violated || !carries(p.Premise, race.buffer()) {
		r := e.explore(ctx, p.Premise, lim)
		d.states += r.States
		switch got := r.Properties[protocol.Race]; got.Verdict {
		case engine.Holds:
			return
		case engine.Inconclusive:
			why = "values read from shared memory: " + got.Reason
		}
	}
	for prop, a := range answers {
		if prop == protocol.Race && a.verdict == engine.Violated && carries(p.Premise, a.buffer()) {
			continue
		}
		*a = answer{reason: why, object: -1}
	}
}

// carries reports whether values are read from a buffer.
func carries(premise *protocol.Protocol, name string) bool {
	return slices.ContainsFunc(premise.Buffers, func(b protocol.Buffer) bool { return b.Name == name })
}
