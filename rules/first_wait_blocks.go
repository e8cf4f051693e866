package rules

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// firstWaitBlocks (FP104) reports two waits that hold each other up on fresh barriers: each waits for phase 0, and
// everything that could complete it comes after the other wait (PH-04). Which barrier is "full" and which "empty" is
// read from arrivals, not from names.
func firstWaitBlocks(p *Pass) {
	if !p.fn.fn.Kernel {
		return
	}
	var waits []*site
	for _, s := range p.sites {
		if !s.blocks() || s.owner != p.fn || s.barrier().base == "" {
			continue
		}
		if phase, ok := p.fn.first(s.arg("phase"), s); ok && phase&1 == 0 {
			waits = append(waits, s)
		}
	}
	if len(waits) < 2 || p.handsOnBarrier() { // whoever gets a barrier may arrive
		return
	}
	arrivals := map[string][]*site{}
	for _, s := range p.sites {
		if !arrives[s.op.Kind] {
			continue
		}
		if base := s.barrier().base; base != "" {
			arrivals[base] = append(arrivals[base], s)
		}
	}
	for i, a := range waits {
		for _, b := range waits[i+1:] {
			x, y := a.barrier().base, b.barrier().base
			if x == y || !p.allAfter(arrivals[x], b) || !p.allAfter(arrivals[y], a) {
				continue
			}
			f := p.report(a.span, "first wait on %q is for phase 0 and holds up the one on %q, and the reverse; both block", p.name(a), p.name(b))
			p.label(f, b.span, "waits for %s, which only arrives after the first wait", y)
			f.Help = "start the side that waits for an empty slot with phase 1: a fresh barrier lets that wait pass"
			return
		}
	}
}

// allAfter reports whether there are arrivals and each comes after the wait on every path.
func (p *Pass) allAfter(arrivals []*site, wait *site) bool {
	for _, a := range arrivals {
		if a.order < wait.order || a.op.Has("peer") || a.op.Kind == dialect.Tcgen05Commit || len(a.guards) < len(wait.guards) {
			return false
		}
		if !slices.EqualFunc(wait.guards, a.guards[:len(wait.guards)], sameGuard) {
			return false
		}
	}
	return len(arrivals) > 0
}

func sameGuard(a, b *guard) bool {
	return a.node == b.node && a.negated == b.negated && a.elect == b.elect
}

// handsOnBarrier reports whether an unexplained call is given an mbarrier that the function initialises.
func (p *Pass) handsOnBarrier() bool {
	var own []string
	for _, s := range p.sites {
		if s.op.Kind != dialect.MbarrierInit {
			continue
		}
		if base := s.barrier().base; base != "" {
			own = append(own, base)
		}
	}
	return slices.ContainsFunc(p.sites, func(s *site) bool {
		return s.op.Kind == unknownCall && (s.op.Call == nil || slices.ContainsFunc(own, func(base string) bool { return isGiven(s.op.Call, base) }))
	})
}

// isGiven reports whether an argument of a call mentions a name.
func isGiven(c *program.Call, name string) bool {
	return slices.ContainsFunc(c.Args, func(x program.Expr) bool { return mentionsName(x, name) }) ||
		slices.ContainsFunc(c.Keywords, func(k program.Keyword) bool { return mentionsName(k.Value, name) })
}

// mentionsName reports whether a dotted name, or the object it belongs to, occurs in an expression.
func mentionsName(x program.Expr, name string) bool {
	found := false
	program.WalkExprs(x, func(e program.Expr) bool {
		switch e.(type) {
		case *program.Name, *program.Attr:
			n := path(e)
			found = found || n != "" && (n == name || strings.HasPrefix(name, n+"."))
			return n == ""
		}
		return !found
	})
	return found
}
