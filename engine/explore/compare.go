package explore

import (
	"context"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// For comparing the engine with itself: the parts of Check alone.

// Prove is what the frozen runs show without a search. Where they do not decide p, differs says why; the result then
// has only the violations that they and the scout found.
func Prove(ctx context.Context, p *protocol.Protocol, lim engine.Limits) (r *engine.Result, differs string) {
	if err := p.Validate(); err != nil {
		return refused(err), err.Error()
	}
	j, lim := newJudge(p), withDefaults(lim)
	pr := prove(j, newMeter(ctx, lim, time.Now().Add(lim.Time)))
	if pr.monotone != nil {
		pr.races()
		pr.late()
	}
	if pr.differs == "" {
		return pr.result(), ""
	}
	j.scout(pr.clock, lim, pr.found)
	return &engine.Result{Engine: Name, Properties: pr.found}, pr.differs
}

// Unlocked is what is known of p once its locks are left out; nil where none are.
func Unlocked(ctx context.Context, p *protocol.Protocol, lim engine.Limits) *engine.Result {
	if p.Validate() != nil {
		return nil
	}
	u := withoutLocks(newJudge(p))
	if u == nil {
		return nil
	}
	return u.result(u.check(ctx, withDefaults(lim)))
}

// Exhaust is Search without its short cuts: no property is taken to hold beforehand, and no search is given up before
// it reaches a limit.
func Exhaust(ctx context.Context, p *protocol.Protocol, lim engine.Limits) *engine.Result {
	if err := p.Validate(); err != nil {
		return refused(err)
	}
	j := newJudge(p)
	j.tabulate(withDefaults(lim).Memory) // races are looked for even where there is no access
	s := newSearch(clockFor(ctx, lim), j, lim, nil)
	for prop := range impossible(p) {
		delete(s.answers, prop)
		s.open[prop] = true
	}
	s.refresh()
	s.steps = 0 // hopeless looks no further than the last step
	return s.run()
}

// GivesUp reports whether a search would be given up on its way though its limit is all that it needs, if it were
// judged after trial states already. Tried is false where the whole search has no more than these, or than the limit.
func GivesUp(ctx context.Context, p *protocol.Protocol, lim engine.Limits, trial int) (given, tried bool) {
	if p.Validate() != nil {
		return false, false
	}
	s := newSearch(clockFor(ctx, lim), newJudge(p), lim, nil)
	s.open["every state"] = true // so that it does not end when all properties are decided
	s.steps = 0
	total := s.run().States
	if total >= s.lim.States || total <= trial {
		return false, false
	}
	s.steps, s.lim.States = steps(p), total
	levels, depth := []int(nil), make([]int, total)
	for i := range total {
		if parent := s.store.parent[i]; parent >= 0 {
			depth[i] = depth[parent] + 1
		}
		for len(levels) <= depth[i] {
			levels = append(levels, 0)
		}
		levels[depth[i]]++
	}
	for d := range levels {
		if d > 0 {
			levels[d] += levels[d-1]
		}
		if s.hopeless(levels[:d+1], trial) {
			return true, true
		}
	}
	return false, true
}
