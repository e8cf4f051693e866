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
	arrivals := map[string][]*site{}
	for _, s := range p.sites {
		if s.op.Kind == unknownCall && p.takesBarrier(s) {
			return // it may arrive
		}
		if b := s.barrier(); arrives[s.op.Kind] && b.base != "" {
			arrivals[b.base] = append(arrivals[b.base], s)
		}
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

func sameGuard(a, b guard) bool {
	return a.node == b.node && a.negated == b.negated && a.elect == b.elect
}

// takesBarrier reports whether an unexplained call is given an mbarrier of this function.
func (p *Pass) takesBarrier(s *site) bool {
	if s.op.Call == nil {
		return true
	}
	for _, o := range p.sites {
		base := ""
		if o.op.Kind == dialect.MbarrierInit {
			base = o.barrier().base
		}
		if base == "" {
			continue
		}
		for _, x := range s.op.Call.Args {
			if mentionsName(x, base) {
				return true
			}
		}
		for _, k := range s.op.Call.Keywords {
			if mentionsName(k.Value, base) {
				return true
			}
		}
	}
	return false
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
