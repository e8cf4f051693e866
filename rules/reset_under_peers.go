package rules

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
)

// resetUnderPeers (FP504) reports a CTA, chosen by its index, that puts a counter back to zero while others may not have
// seen its last value (AR-10), or before it while others may have added to it already. Whoever is told by an atomic to be
// the last knows that all have come.
func resetUnderPeers(p *Pass) {
	if !p.fn.fn.Kernel {
		return
	}
	for i, s := range p.sites {
		if s.spin != nil || !writesFlag[s.op.Kind] || !p.resets(s) || p.shared(s) {
			continue
		}
		if _, one := s.ofOneBlock(); !one {
			continue
		}
		name := p.flagName(s)
		if name == "" || !p.countedInGrid(name) {
			continue
		}
		if o := p.lastPoll(i, name); o != nil {
			f := p.report(s.span, "one CTA puts %q back to zero while others may still poll it", name)
			p.label(f, o.span, "a CTA that has not looked yet spins here for ever")
			f.Help = "let the last CTA reset it, which an atomic tells, or let the target grow instead"
		} else if o := p.firstAdd(i, name); o != nil {
			f := p.report(s.span, "one CTA puts %q to zero while others may have added to it already", name)
			p.label(f, o.span, "what a CTA adds here before the reset is lost")
			f.Help = "clear it before the launch, or in the kernel before"
		}
	}
}

// countedInGrid reports whether all CTAs add to a counter and poll it.
func (p *Pass) countedInGrid(name string) bool {
	adds, polled := false, false
	for _, o := range p.sites {
		if p.flagName(o) != name {
			continue
		}
		_, one := o.ofOneBlock()
		adds = adds || !one && o.spin == nil && (o.op.Kind == dialect.AtomicAdd || o.op.Kind == dialect.Reduce)
		polled = polled || !one && p.countedByAll(o)
	}
	return adds && polled
}

// lastPoll finds the poll of a counter before site i that no other meeting of the CTAs comes after.
func (p *Pass) lastPoll(i int, name string) *site {
	tickets := p.drawn()
	for _, g := range p.sites[i].guards {
		if g.fn.mentionsAny(g.cond(), tickets, 0) {
			return nil
		}
	}
	for j := i - 1; j >= 0; j-- {
		o := p.sites[j]
		switch {
		case exclusive(o, p.sites[i]):
		case o.spin != nil && p.flagName(o) == name && p.countedByAll(o):
			return o
		case p.gathers(o):
			return nil
		}
	}
	return nil
}

// firstAdd finds the first addition of all CTAs after site i, where nothing of before has used the counter and the CTAs do
// not meet in between.
func (p *Pass) firstAdd(i int, name string) *site {
	for _, o := range p.sites[:i] {
		if p.flagName(o) == name || p.gathers(o) {
			return nil
		}
	}
	for _, o := range p.sites[i+1:] {
		switch {
		case exclusive(o, p.sites[i]):
		case p.gathers(o):
			return nil
		case p.flagName(o) == name && o.spin == nil && (o.op.Kind == dialect.AtomicAdd || o.op.Kind == dialect.Reduce):
			if _, one := o.ofOneBlock(); !one {
				return o
			}
		}
	}
	return nil
}

// gathers reports whether CTAs may wait for each other at a site.
func (p *Pass) gathers(o *site) bool {
	switch o.op.Kind {
	case dialect.GridSync, dialect.ClusterSync, dialect.ClusterWait, dialect.GridDepWait:
		return true
	case unknownCall:
		return mayGather(o.op.Name)
	}
	return o.spin != nil && polls[o.op.Kind] && p.countedByAll(o)
}

// mayGather reports whether a call that cannot be looked into may hold a barrier of more than one CTA. Intrinsics join the
// lanes of a warp or the threads of a CTA only.
func mayGather(name string) bool {
	name = strings.ToLower(name)
	if strings.HasPrefix(name, "__") {
		return false
	}
	for _, w := range [...]string{"sync", "barrier", "grid", "wait", "cluster"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}
