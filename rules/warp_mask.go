package rules

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// warpMask (FP412) reports a warp collective whose constant mask does not fit the lanes that execute it (DV-03): a lane
// that is not in its own mask is undefined, and one in the mask that never comes is waited for.
func warpMask(p *Pass) {
	if p.fn.oneWarp() {
		return // how many lanes the only warp has is not looked at
	}
	for _, s := range p.sites {
		mask, named := s.members()
		if !named {
			continue
		}
		come := p.lanesAt(s)
		switch {
		case mask != fullWarp && p.wholeWarps(s) && come.surely&^mask != 0:
			f := p.report(s.span, "%s names %s only, and lane %d executes it as well", s.collectiveName(), lanesOf(mask), bits.TrailingZeros32(come.surely&^mask))
			f.Help = "name every lane that executes it: 0xffffffff for the whole warp"
		case mask&^come.maybe != 0 && come.maybe != 0:
			g := splittingGuard(s)
			if g == nil || p.otherSide(s, g) || slices.ContainsFunc(s.guards, func(g *guard) bool { return g.built }) {
				continue // what is built may go with the condition
			}
			f := p.report(s.span, "%s names %s, and lane %d never comes here", s.collectiveName(), lanesOf(mask), bits.TrailingZeros32(mask&^come.maybe))
			p.label(f, g.node.Where(), "this condition keeps it away")
			f.Help = "name only the lanes that pass the condition, or move the call out of it"
		}
	}
}

const fullWarp = 1<<32 - 1

// members is the constant mask of a warp collective.
func (s *site) members() (uint32, bool) {
	x := s.arg("mask")
	if s.op.Kind == unknownCall && s.votes() && len(s.op.Call.Args) > 0 {
		x = s.op.Call.Args[0]
	} else if s.op.Kind != dialect.WarpSync {
		return 0, false
	}
	if x == nil {
		return fullWarp, s.op.Kind == dialect.WarpSync
	}
	f := s.owner
	if s.op.Kind == unknownCall {
		f = s.in.fn
	}
	n, known := f.fold(x)
	if n < 0 && n >= -1<<31 {
		n &= fullWarp
	}
	return uint32(n), known && n >= 0 && n <= fullWarp
}

// votes reports whether a call is a shuffle, vote, match or reduction of a warp that takes a mask.
func (s *site) votes() bool {
	return strings.HasPrefix(s.op.Name, "__") && strings.HasSuffix(s.op.Name, "_sync")
}

func (s *site) collectiveName() string {
	if s.op.Kind == dialect.WarpSync {
		return "__syncwarp"
	}
	return s.op.Name
}

// lanesOf says a mask in words.
func lanesOf(mask uint32) string {
	switch low := bits.TrailingZeros32(mask); {
	case mask == 0:
		return "no lane"
	case mask == fullWarp:
		return "all lanes"
	case bits.OnesCount32(mask) == 1:
		return fmt.Sprintf("lane %d", low)
	case mask>>low&(mask>>low+1) == 0:
		return fmt.Sprintf("lanes %d to %d", low, 31-bits.LeadingZeros32(mask))
	}
	return fmt.Sprintf("the lanes of %#x", mask)
}

// comers are the lanes that execute a site: in some warp for sure, and in some warp perhaps.
type comers struct{ surely, maybe uint32 }

// warpShapes are CTAs in which a warp lies in all the ways it can along as many axes as the function looks at.
var warpShapes = map[int][][3]int64{
	1: {{sampleThreads, 1, 1}},
	2: {{sampleThreads, 1, 1}, {32, 4, 1}, {16, 8, 1}, {8, 16, 1}, {4, 32, 1}, {2, 64, 1}, {1, sampleThreads, 1}},
	3: {{sampleThreads, 1, 1}, {16, 8, 1}, {4, 32, 1}, {1, sampleThreads, 1}, {16, 1, 8}, {4, 4, 8}, {1, 1, sampleThreads}},
}

// lanesAt works out which lanes come to a site by trying the threads of a CTA of every shape. Only what follows from the
// text counts: what a name or a number stands for that the sample made up leaves both open.
func (p *Pass) lanesAt(s *site) comers {
	out := comers{surely: fullWarp, maybe: fullWarp}
	for _, l := range s.loops {
		if l.cond != nil && !uniformIn(term{l.cond, l.in}, 0) {
			out.surely = 0
		}
	}
	var divide []*guard
	for _, g := range s.guards {
		switch {
		case g.elect:
			out.surely, out.maybe = 0, 1
		case g.built || g.exit: // what is built, and what became of lanes that left, is open
			out.surely = 0
		case g.fn.vary(g.cond(), 0) > perWarp && !uniformIn(term{g.raw, g.in}, 0):
			divide = append(divide, g)
		}
	}
	if len(divide) > 0 {
		out = p.passing(s, divide).both(out)
	}
	if s.handsOnWarp() { // what cannot be told of a condition does not divide the warp
		out.surely = out.maybe
	}
	return out
}

func (c comers) both(d comers) comers { return comers{c.surely & d.surely, c.maybe & d.maybe} }

// passing are the lanes that conditions on the way to a site let through.
func (p *Pass) passing(s *site, conditions []*guard) comers {
	out := comers{surely: fullWarp}
	for _, shape := range warpShapes[p.fn.axes()] {
		m := &sample{shape: shape, numbers: map[string]int64{}}
		var surely uint32
		for id := range int64(sampleThreads) {
			t := &thread{sample: m, id: id, rounds: map[*loop]int64{}}
			sure, never := t.passesAll(s, conditions)
			if sure {
				surely |= 1 << (id % 32)
			}
			if !never {
				out.maybe |= 1 << (id % 32)
			}
		}
		out.surely &= surely
	}
	return out
}

// passesAll says whether a thread surely passes the conditions, or surely fails one.
func (t *thread) passesAll(s *site, conditions []*guard) (sure, never bool) {
	sure = true
	for _, g := range conditions {
		t.steps = 0
		n := t.eval(term{g.raw, g.in}, s.loops, 0)
		if !n.known || n.sampled {
			sure = false
		} else if (n.v != 0) == g.negated {
			return false, true
		}
	}
	return sure, never
}

// wholeWarps reports whether all lanes of a warp come as far as the function, or to what stands beside the site: a kernel
// begins with all of them, a barrier of the CTA has them all, and whoever hands on the number of its warp has the warp
// with it.
func (p *Pass) wholeWarps(s *site) bool {
	if p.fn.fn.Kernel {
		n, known := p.fn.file.blocks[p.fn.fn.Name]
		return !known || n >= 32
	}
	for _, o := range p.sites {
		if o.op.Kind == dialect.CtaSync && len(o.guards) <= len(s.guards) && o.threads() == everyone {
			return true
		}
	}
	return s.handsOnWarp()
}

// handsOnWarp reports whether the value of a collective is computed from the thread index and is the same in a warp: such
// a call only tells the compiler so.
func (s *site) handsOnWarp() bool {
	if s.op.Kind != unknownCall || len(s.op.Call.Args) < 2 {
		return false
	}
	_, computed := s.op.Call.Args[1].(*program.Binary)
	return computed && s.in.fn.vary(s.op.Call.Args[1], 0) == perWarp
}

// otherSide reports whether the lanes that a condition turns away meet a warp collective, too: since Volta those of both
// branches make one.
func (p *Pass) otherSide(s *site, g *guard) bool {
	for _, o := range p.sites {
		if _, masked := o.members(); !masked || o == s {
			continue
		}
		for _, h := range o.guards {
			if h.node == g.node && h.negated != g.negated {
				return true
			}
		}
	}
	return false
}
