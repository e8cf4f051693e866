package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// An engine shows one race a check. The others are told in the same run: an author who mends one buffer should not
// learn of the next one from the next push.
const (
	mostRaces  = 5       // of one kernel, the first included
	raceStates = 1 << 18 // of all searches for them
)

// moreRaces asks explore again about a kernel that has a race, with the buffers left out that are told already.
func (e engines) moreRaces(ctx context.Context, instances []*protocol.Protocol, d *decision, remains func() engine.Limits) error {
	first := d.answers[protocol.Race]
	violated := func(p protocol.Property) bool { return d.answers[p] != nil && d.answers[p].verdict == engine.Violated }
	leading := func(p protocol.Property) bool { return violated(p) && d.tells(p, protocol.Race) }
	if !violated(protocol.Race) || follows(protocol.Race, leading) {
		return nil
	}
	told := map[string]bool{first.buffer(): true}
	left := min(raceStates, remains().States-d.states)
	for _, p := range instances {
		for len(first.more) < mostRaces-1 && left > 0 {
			lim := remains()
			lim.States, lim.Proof, lim.Memory = min(left, leastStates), 0, cmp.Or(lim.Memory, kernelMemory)
			a, states, err := e.anotherRace(ctx, p, told, lim)
			d.states += states
			left -= states
			if err != nil {
				return err
			}
			if a == nil {
				break
			}
			told[a.buffer()] = true
			first.more = append(first.more, a)
		}
	}
	return nil
}

// anotherRace looks for a race on a buffer that is not told yet; nil when none is found.
func (e engines) anotherRace(ctx context.Context, p *protocol.Protocol, told map[string]bool, lim engine.Limits) (*answer, int, error) {
	quiet := silence(p, told)
	r := e.explore(ctx, quiet, lim)
	got := r.Properties[protocol.Race]
	if got.Verdict != engine.Violated || got.Trace == nil {
		return nil, r.States, nil
	}
	outcome, err := e.replay(p, got.Trace, protocol.Race)
	if err != nil {
		return nil, r.States, fmt.Errorf("the trace by which %s says that %s has a further race does not replay: %w", r.Engine, p.Kernel, err)
	}
	a := &answer{verdict: engine.Violated, engines: []string{r.Engine}, instance: p, trace: got.Trace, outcome: outcome, object: got.Object}
	states := r.States
	if err := e.settle(ctx, quiet, a, &states, func() engine.Limits { return lim }); err != nil || a.verdict != engine.Violated {
		return nil, states, err
	}
	if told[a.buffer()] {
		return nil, states, fmt.Errorf("%s shows a race in %s on %q, of which it was given no writes", r.Engine, p.Kernel, a.buffer())
	}
	return a, states, nil
}

// buffer is the name of the buffer that a race is on.
func (a *answer) buffer() string {
	return a.instance.Buffers[accessOf(a.instance, a.trace.Pair.First).Buffer].Name
}

// silence returns the protocol without races on the named buffers: every access of theirs is a read. The accesses keep
// their numbers, so what is found replays on p itself.
func silence(p *protocol.Protocol, names map[string]bool) *protocol.Protocol {
	reads := func(list []protocol.Access) []protocol.Access {
		list = slices.Clone(list)
		for i := range list {
			list[i].Write = list[i].Write && !names[p.Buffers[list[i].Buffer].Name]
		}
		return list
	}
	quiet := *p
	quiet.Classes = slices.Clone(p.Classes)
	for c := range quiet.Classes {
		class := &quiet.Classes[c]
		class.Ops, class.Blocks = slices.Clone(class.Ops), slices.Clone(class.Blocks)
		for l := range class.Ops {
			class.Ops[l].Access = reads(class.Ops[l].Access)
		}
		for l := range class.Blocks {
			class.Blocks[l] = reads(class.Blocks[l])
		}
	}
	return &quiet
}
