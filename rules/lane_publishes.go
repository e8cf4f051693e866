package rules

import (
	"math/bits"

	"github.com/fencepost-dev/fencepost/dialect"
)

// lanePublishes (FP704) reports a lane that tells for its warp that something is written, by a word that threads wait on or
// an arrival at an mbarrier, while other lanes of the warp may not have written their part (AR-03 within a warp).
func lanePublishes(p *Pass) {
	sites := p.laneWords()
	for i, s := range sites {
		if !s.tells() || !p.oneLane(s) || p.tired() {
			continue
		}
		if o := p.lanesBehind(sites[:i], s); o != nil {
			f := p.report(s.span, "one lane publishes for its warp, and the other lanes may not have written yet; no __syncwarp in between")
			p.label(f, o.span, "each lane writes its part here")
			f.Help = "put __syncwarp() between the writes of the lanes and the lane that publishes"
		}
	}
}

// tells reports whether the site moves a word that threads wait on, or arrives at an mbarrier.
func (s *site) tells() bool {
	return s.slot != nil && s.slot.flag && s.mode&writes != 0 || s.op.Kind == dialect.MbarrierArrive && !s.named
}

// oneLane reports whether one lane of a warp comes to the site, and which one its index says.
func (p *Pass) oneLane(s *site) bool {
	return s.threads().lanes == oneOf || bits.OnesCount32(p.lanesAt(s).maybe) == 1
}

// lanesBehind looks back from a lane that publishes for a write of several lanes that nothing has it wait for.
func (p *Pass) lanesBehind(before []*site, s *site) *site {
	for i := len(before) - 1; i >= 0; i-- {
		o := before[i]
		switch {
		case exclusive(o, s):
		case o.joinsLanes(o, s):
			return nil
		case p.writtenByLanes(o, s):
			return o
		}
	}
	return nil
}

// writtenByLanes reports whether each of several lanes writes a place of its own that others may look at.
func (p *Pass) writtenByLanes(o, s *site) bool {
	if o.spin != nil || p.oneLane(o) {
		return false
	}
	var at []term
	switch {
	case o.slot != nil && o.mode&writes != 0 && !o.slot.flag:
		at = o.slot.index
		if o.slot.offset != nil {
			at = append(at[:len(at):len(at)], *o.slot.offset)
		}
	case o.op.Kind == dialect.Store:
		at = []term{{o.arg("ptr"), o.in}}
	}
	for _, x := range at {
		if ownMask(x, 0) {
			return true
		}
	}
	return false
}
