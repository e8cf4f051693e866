package rules

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// leaderPublishes (FP305) reports a single thread that publishes for its CTA although no barrier orders the other
// threads' writes before it (AR-03).
func leaderPublishes(p *Pass) {
	for i, s := range p.sites {
		if !writesFlag[s.op.Kind] || s.threads().lanes != oneOf || p.resets(s) {
			continue
		}
		if !p.polledFlag(s) && !p.announces(s) {
			continue
		}
		flag := p.flagName(s)
		if o, fenced := p.unjoined(i, flag); o != nil {
			f := p.report(s.span, "one thread publishes %q for its CTA without a barrier after the other threads' writes", flag)
			text := "written by all threads; nothing orders it before the flag"
			if fenced {
				text = "each thread fences its own writes; the publishing thread does not wait for the other threads' fences"
			}
			p.label(f, o.span, "%s", text)
			f.Help = "put a CTA barrier between the writes and the publishing thread"
		} else if o := p.joinedSibling(i); o != nil {
			f := p.report(s.span, "one thread publishes %q with no barrier before, but another method of the class has one", flag)
			p.label(f, o.span, "the same publication, with a CTA barrier before it")
			f.Help = "put a CTA barrier before the publishing thread here as well"
		}
	}
}

// joinedSibling looks, for a method that publishes before it meets any barrier, for another method of its class that
// makes the same publication behind a CTA barrier: what its callers wrote needs the barrier in both.
func (p *Pass) joinedSibling(i int) *site {
	s := p.sites[i]
	if p.fn.fn.Class == nil || p.fn.fn.Kernel || s.op.Text("sem", "") != "release" || !p.announces(s) || !s.unmet(p.sites) || p.callersJoin() {
		return nil
	}
	for j, sites := range p.fn.file.bodies {
		if !p.sameClass(j) || p.fn.file.file.Functions[j] == p.fn.fn {
			continue
		}
		for _, o := range sites {
			if o.op.Kind == s.op.Kind && o.barrier().base == s.barrier().base && o.op.Text("sem", "") == "release" &&
				o.threads().single() && slices.Equal(o.via, s.via) && !o.unmet(sites) {
				return o
			}
		}
	}
	return nil
}

// unmet reports whether no barrier or unknown call stands before the site.
func (s *site) unmet(sites []*site) bool {
	for _, o := range sites[:s.order] {
		if joins[o.op.Kind] || o.op.Kind == unknownCall {
			return false
		}
	}
	return true
}

// joins are operations after which one thread may speak for others.
var joins = map[dialect.Kind]bool{
	dialect.CtaSync: true, dialect.NamedBarrierSync: true, dialect.WarpSync: true, dialect.ClusterSync: true, dialect.ClusterWait: true,
	dialect.GridSync: true, dialect.MbarrierWait: true,
}

// unjoined looks back from a publishing thread's write for a write, or a fence, of the other threads with no barrier
// after it. fenced says that the fence is what was found.
func (p *Pass) unjoined(i int, flag string) (other *site, fenced bool) {
	s := p.sites[i]
	var fence *site
	for j := i - 1; j >= 0; j-- {
		o := p.sites[j]
		if exclusive(o, s) {
			continue
		}
		if joins[o.op.Kind] || (o.op.Kind == unknownCall && mayFence(o.op.Name)) {
			return nil, false
		}
		if fence == nil && o.op.Kind == dialect.Fence && width(o.op.Text("scope", "")) >= width("gpu") && p.encloses(o, s) {
			fence = o
		}
		if p.othersWrite(o, s, flag) {
			return o, false
		}
	}
	// A helper that begins with a fence by every thread orders what its callers wrote.
	if fence != nil && !p.fn.fn.Kernel && !p.callersJoin() {
		return fence, true
	}
	return nil, false
}

// encloses reports whether every thread that may reach s has passed o with the others of its CTA: o stands outside
// the condition that singles s out.
func (p *Pass) encloses(o, s *site) bool {
	return o.threads() == everyone && len(o.guards) < len(s.guards)
}

// othersWrite reports whether o writes global memory by more threads than the publishing one.
func (p *Pass) othersWrite(o, s *site, flag string) bool {
	if p.data(o, flag) && o.threads().lanes == allOf {
		return true
	}
	switch o.op.Kind {
	case plainStore, dialect.Store, dialect.AtomicAdd, dialect.AtomicMax, dialect.Reduce:
	default:
		return false
	}
	if !p.announces(s) || p.flagName(o) == flag || o.threads().lanes == oneOf || p.uniformPlace(o) {
		return false
	}
	return p.global(o) || p.pointed(o)
}

// uniformPlace reports whether all threads that reach the site write the same element: then the publishing thread
// writes it too.
func (p *Pass) uniformPlace(o *site) bool {
	x, ok := o.arg("ptr").(*program.Index)
	if !ok {
		return o.op.Kind == plainStore
	}
	for _, a := range x.Args {
		if o.owner.vary(a, 0) > perWarp {
			return false
		}
	}
	return true
}

// pointed reports whether the address comes from a local pointer, and not from an array of the function.
func (p *Pass) pointed(o *site) bool {
	base := o.barrier().base
	return base != "" && !p.shared(o) && !strings.HasPrefix(base, marked) && strings.Contains(o.owner.types[base], "*")
}

// announces reports whether a write has the form of an announcement to other CTAs, whoever reads it: a release of gpu
// or sys scope, or the ticket of the last-CTA pattern (an atomic whose result is compared with the grid's size).
func (p *Pass) announces(s *site) bool {
	if !s.threads().single() || p.shared(s) || s.spin != nil || s.op.Text("space", "") == "cta" {
		return false
	}
	switch s.op.Text("sem", "") {
	case "release", "acq_rel", "sc":
		if width(s.op.Text("scope", "cta")) >= width("gpu") && s.op.Kind != dialect.AtomicCas {
			return true
		}
	}
	return p.ticket(s)
}

// ticket reports whether an atomic counts CTAs: its wrap-around value, or what its result is compared with, is made
// from the grid's size.
func (p *Pass) ticket(s *site) bool {
	if (s.op.Kind != dialect.AtomicAdd && s.op.Kind != dialect.AtomicMax) || !s.used {
		return false
	}
	if p.fn.gridSize(s.arg("value"), 0) {
		return true
	}
	found := false
	for _, st := range p.fn.fn.Body {
		program.WalkExprs(st, func(e program.Expr) bool {
			b, ok := e.(*program.Binary)
			if ok && b.Op == "==" && (p.result(b.X, s, 0) && p.fn.gridSize(b.Y, 0) || p.result(b.Y, s, 0) && p.fn.gridSize(b.X, 0)) {
				found = true
			}
			return !found
		})
	}
	return found
}

// result reports whether an expression is the value an operation returned. Elements of an array may be made of each other.
func (p *Pass) result(x program.Expr, s *site, depth int) bool {
	holds := func(at source.Span) bool { return s.span.Start >= at.Start && s.span.End <= at.End }
	if holds(x.Where()) {
		return true
	}
	if i, ok := x.(*program.Index); ok && depth < 4 { // the ticket, handed to the CTA through shared memory
		return slices.ContainsFunc(p.fn.defs[path(i.X)+"[]"], func(d definition) bool { return d.value != nil && p.result(d.value, s, depth+1) })
	}
	// One lane takes it, and a shuffle gives it to the others: two definitions.
	name := path(x)
	return name != "" && slices.ContainsFunc(p.fn.visible(name, x.Where().Start), func(d definition) bool { return d.value != nil && holds(d.value.Where()) })
}

// gridSize reports whether an expression is made from the number of CTAs of the grid.
func (f *function) gridSize(x program.Expr, depth int) bool {
	if x == nil || depth > 4 {
		return false
	}
	found := false
	program.WalkExprs(x, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Attr:
			op, ok := f.file.table.Attr(e)
			found = found || ok && op.Kind == dialect.GridDim
		case *program.Call:
			op, ok := f.call(e)
			found = found || ok && op.Kind == dialect.GridDim
		case *program.Name:
			if v := f.definition(e); v != nil {
				found = found || f.gridSize(v, depth+1)
			}
		}
		return !found
	})
	return found
}

// callersJoin reports whether some function of the file calls this one right after a barrier: then the callers order
// the writes.
func (p *Pass) callersJoin() bool {
	for _, sites := range p.fn.file.bodies {
		for i, s := range sites {
			if i > 0 && slices.Contains(s.via, p.fn.fn) && joins[sites[i-1].op.Kind] && !slices.Contains(sites[i-1].via, p.fn.fn) {
				return true
			}
		}
	}
	return false
}
