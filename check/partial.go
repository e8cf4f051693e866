package check

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/protocol"
)

// partial makes violations of the executions that go wrong in the modelled parts of a kernel. They count where nothing
// else is left out of the model but what comes after these parts, and where no loop needs to go round zero times.
func (e engines) partial(k *lower.Kernel) (decision, error) {
	d := decision{partial: true, answers: map[protocol.Property]*answer{}, rounds: k.Rounds, verdicts: map[protocol.Property][]instanceAnswer{}}
	if len(k.Opaque) > 1 || k.Unread {
		return d, nil
	}
	for _, part := range k.Partials {
		p := part.Protocol
		t := &engine.Trace{}
		for _, b := range part.Batches {
			t.Steps = append(t.Steps, engine.Step{Class: b.Class, Op: b.Op, N: b.N, Completion: b.Completion})
		}
		if d.answers[part.Property] != nil || d.idle(p) || p.Premise != nil && !genuine(p.Premise, t) {
			continue
		}
		outcome, err := e.replay(p, t, part.Property)
		if err != nil {
			return d, fmt.Errorf("an execution of the modelled parts does not replay: %w", err)
		}
		a := &answer{verdict: engine.Violated, engines: []string{explore.Name}, instance: p, trace: t, outcome: outcome, object: outcome.Object}
		d.answers[part.Property] = a
		d.verdicts[part.Property] = append(d.verdicts[part.Property], instanceAnswer{p, engine.Violated})
		d.addEngine(explore.Name)
	}
	return d, nil
}
