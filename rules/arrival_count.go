package rules

import (
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/program"
)

// arrivalCount (FP106) compares the count an mbarrier is initialised with and the arrivals of one phase, where both
// are plain: one initialisation, one arriving statement, known threads (CT-01, constants only).
func arrivalCount(p *Pass) {
	if !p.fn.fn.Kernel || p.handsOnBarrier() {
		return
	}
	uses := map[string]*barrierUse{}
	var order []string
	for _, s := range p.sites {
		if !s.blocks() && !arrives[s.op.Kind] && s.op.Kind != dialect.MbarrierInit {
			continue
		}
		base := s.barrier().base
		if base == "" {
			continue
		}
		if uses[base] == nil {
			uses[base] = &barrierUse{}
			order = append(order, base)
		}
		uses[base].add(s)
	}
	for _, base := range order {
		p.compareCounts(uses[base])
	}
}

// barrierUse is what a kernel does with one barrier or array of barriers.
type barrierUse struct {
	inits, arrivals, waits []*site
	hidden                 bool // arrivals that are not counted here
}

func (u *barrierUse) add(s *site) {
	switch s.op.Kind {
	case dialect.MbarrierInit:
		u.inits = append(u.inits, s)
	case dialect.MbarrierArrive, dialect.MbarrierArriveExpectTx:
		u.arrivals = append(u.arrivals, s)
		u.hidden = u.hidden || s.op.Has("pred") || remote(s)
	case dialect.TmaLoad, dialect.MbarrierCompleteTx, dialect.StoreAsync, dialect.ClcTryCancel: // bytes, no arrivals
	case dialect.MbarrierWait, dialect.MbarrierTryWait, dialect.MbarrierTestWait:
		u.waits = append(u.waits, s)
	default:
		u.hidden = true
	}
}

func (p *Pass) compareCounts(u *barrierUse) {
	if u.hidden || len(u.inits) != 1 || len(u.arrivals) != 1 || len(u.waits) == 0 {
		return
	}
	init, arrive := u.inits[0], u.arrivals[0]
	want, known := init.owner.fold(init.arg("count"))
	if !known || want <= 0 || len(init.via) > 0 && init.op.Call == nil && init.arg("count") == nil {
		return
	}
	for _, w := range u.waits {
		if len(arrive.loops) > len(w.loops) {
			return // several arrivals a phase
		}
	}
	each := int64(1)
	if arrive.op.Has("count") {
		if each, known = arrive.owner.fold(arrive.arg("count")); !known || each <= 0 {
			return
		}
	}
	set := arrive.threads()
	threads, exact := arrivingThreads(set)
	if b := p.block(); b > 0 && set == everyone {
		threads, exact = b, true
	}
	if threads == 0 || (exact && threads*each == want) || (!exact && threads*each <= want) {
		return
	}
	atLeast := ""
	if !exact {
		atLeast = "at least "
	}
	f := p.report(arrive.span, "%s%d arrivals reach %q in a phase, but it is initialised for %d", atLeast, threads*each, p.name(arrive), want)
	p.label(f, init.span, "initialised for %d arrivals here", want)
	p.letsIn(f, arrive)
	p.label(f, u.waits[0].span, "its phases are waited for here")
	f.Help = "initialise the barrier with the number of arrivals of one phase, or let one elected thread arrive"
}

// letsIn names the innermost branch around a site: which threads get there is decided by it.
func (p *Pass) letsIn(f *finding.Finding, s *site) {
	for i := len(s.guards) - 1; i >= 0; i-- {
		if g := s.guards[i]; g.node != nil && !g.exit && !g.built {
			line := g.node.Where()
			line.End = min(line.End, p.File.Source.LineSpan(p.File.Source.Position(line.Start).Line).End)
			p.label(f, line, "this decides which threads get there")
			return
		}
	}
}

// arrivingThreads counts the threads of a set: exactly, or a lower bound, or 0 when unknown.
func arrivingThreads(t threads) (n int64, exact bool) {
	switch {
	case t.single():
		return 1, true
	case t.lanes == allOf && t.warps == oneOf:
		return 32, true
	case t.lanes == allOf && (t.warps == allOf || t.warps == someOf):
		return 32, false
	}
	return 0, false
}

// ownRank reports whether an expression is the rank of the CTA that works it out.
func (f *function) ownRank(x program.Expr) bool {
	for range 8 {
		c, ok := f.value(x).(*program.Call)
		if !ok {
			return false
		}
		op, ok := f.call(c)
		if !ok || op.Kind != dialect.Uniform || len(c.Args) != 1 {
			return ok && op.Kind == dialect.ClusterRank
		}
		x = c.Args[0]
	}
	return false
}

// remote reports whether an operation goes to the barrier of another CTA.
func remote(s *site) bool {
	if s.op.Has("peer") {
		return !s.owner.ownRank(s.arg("peer"))
	}
	if s.op.Text("space", "") == "cluster" {
		return true
	}
	x := s.arg("ptr")
	for range 8 {
		switch e := x.(type) {
		case *program.Cast:
			x = e.X
			continue
		case *program.Call:
			op, ok := s.owner.call(e)
			if ok && op.Kind == dialect.MapaShared {
				return true
			}
		case *program.Name:
			if v := s.owner.definition(e); v != nil {
				x = v
				continue
			}
		}
		return false
	}
	return false
}
