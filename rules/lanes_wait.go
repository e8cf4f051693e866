package rules

import (
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/finding"
)

// meetsWarp are operations that no lane leaves before the others of its warp, or its CTA, have come.
var meetsWarp = map[dialect.Kind]bool{
	dialect.WarpSync: true, dialect.CtaSync: true, dialect.NamedBarrierSync: true, dialect.ClusterSync: true, dialect.GridSync: true,
}

// lanesWait (FP502) reports a lock that several lanes of a warp take in a loop (SP-02): the lane that has it waits at a
// barrier for those that want it, or can only go on where lanes are scheduled independently.
func lanesWait(p *Pass) {
	for i, s := range p.sites {
		if !p.takenByLanes(s) {
			continue
		}
		free := p.release(i)
		if free < 0 {
			continue
		}
		if b := p.barrierBetween(i, free); b != nil {
			f := p.report(s.span, "lanes of a warp spin for lock %q, and the lane that has it waits for them at a barrier", p.flagName(s))
			p.label(f, b.span, "whoever has the lock waits here for those that spin")
			f.Help = "give the lock back before the barrier, or let one lane take it for the warp"
			continue
		}
		f := p.report(s.span, "several lanes of a warp spin for lock %q: this needs independent thread scheduling", p.flagName(s))
		f.Severity = finding.Note
		p.label(f, p.sites[free].span, "the lane that has it gives it back here")
		f.Help = "before sm_70 the lane that has the lock may never run again: take, work and give back inside the loop, or let one lane take the lock"
	}
}

// takenByLanes reports whether several lanes of a warp may spin for one lock.
func (p *Pass) takenByLanes(s *site) bool {
	if s.spin == nil || s.named || !p.takesFree(s) {
		return false
	}
	if lanes := s.threads().lanes; lanes != allOf && lanes != someOf {
		return false
	}
	b := s.barrier()
	switch s.owner.vary(b.index, 0) {
	case laneIndex, threadIndex, perLane:
		return b.index == nil // else a lock for each lane
	}
	return true
}

// takesFree reports whether an operation sets what it found to be 0: only then is it a lock's.
func (p *Pass) takesFree(s *site) bool {
	set, known := s.owner.fold(s.arg("value"))
	if !known || set == 0 {
		return false
	}
	if s.op.Kind == dialect.AtomicCas {
		free, constant := s.owner.fold(s.arg("cmp"))
		return constant && free == 0
	}
	return s.op.Kind == dialect.AtomicExch
}

// release finds where the lock that site i takes is given back, -1 if nowhere.
func (p *Pass) release(i int) int {
	name := p.flagName(p.sites[i])
	for j := i + 1; j < len(p.sites); j++ {
		if o := p.sites[j]; o.spin == nil && p.flagName(o) == name && name != "" && p.resets(o) {
			return j
		}
	}
	return -1
}

// barrierBetween finds a barrier of the warp or the CTA that every lane comes to between two sites.
func (p *Pass) barrierBetween(i, j int) *site {
	for _, o := range p.sites[i+1 : j] {
		if meetsWarp[o.op.Kind] && !o.op.Has("mask") && o.spin == nil && !exclusive(o, p.sites[i]) && len(o.guards) <= len(p.sites[i].guards) {
			return o
		}
	}
	return nil
}
