package rules

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// waitBeforeLoop (FP113) reports a wait that a role makes before its loop over the work there is, while the role that
// arrives does so in its loop only. With no work the loops are left out, and the wait is not.
func waitBeforeLoop(p *Pass) {
	for _, w := range p.sites {
		what, waits := w.rendezvous()
		if !waits || what == "" || w.spin != nil && w.op.Kind == plainLoad {
			continue
		}
		a, l := p.arrivesInLoop(what, w)
		if a == nil || !p.alsoLoops(w, l) {
			continue
		}
		f := p.report(w.op.Span, "this wait is not part of the loop over %q, but what it waits for is", p.text(l.cond))
		p.label(f, a.op.Span, "the only arrival, which is left out where there is no work")
		f.Help = "wait in the loop, the first time round, or ask for work before"
	}
}

// rendezvous names what a site waits for or arrives at: an mbarrier, a named barrier, or an object with methods of that name.
func (s *site) rendezvous() (what string, waits bool) {
	switch {
	case s.op.Kind == unknownCall && s.op.Call != nil:
		a, method := s.op.Call.Fun.(*program.Attr)
		if method && (a.Name == "wait" || a.Name == "arrive") && len(s.op.Call.Args) == 0 {
			return path(a.X), a.Name == "wait"
		}
	case s.op.Kind == dialect.NamedBarrierSync || s.op.Kind == dialect.NamedBarrierArrive:
		return "named " + program.DumpExpr(s.arg("id")), s.op.Kind == dialect.NamedBarrierSync
	case arrives[s.op.Kind], s.op.Kind == dialect.MbarrierWait:
		if b := s.barrier(); b.base != "" && b.index == nil {
			phase, known := s.owner.fold(s.arg("phase"))
			return b.base, s.op.Kind == dialect.MbarrierWait && known && phase == 0
		}
	}
	return "", false
}

// arrivesInLoop is an arrival that the wait is for, and the loop over work around it; nil if there is one elsewhere, or
// if somebody else may arrive.
func (p *Pass) arrivesInLoop(what string, w *site) (*site, *loop) {
	var first *site
	var around *loop
	for _, s := range p.sites {
		name, waits := s.rendezvous()
		if name != what {
			if s.hands(what) {
				return nil, nil
			}
			continue
		}
		if waits {
			continue
		}
		l := s.workLoop()
		if !exclusive(s, w) || l == nil || around != nil && !same(around.cond, l.cond) {
			return nil, nil
		}
		if first == nil {
			first, around = s, l
		}
	}
	return first, around
}

// hands reports whether a call of which nothing is known gets hold of the object.
func (s *site) hands(what string) bool {
	if s.op.Kind != unknownCall || s.op.Call == nil {
		return false
	}
	for _, a := range s.op.Call.Args {
		if u, ok := a.(*program.Unary); ok && u.Op == "&" {
			a = u.X
		}
		if path(a) == what {
			return true
		}
	}
	return false
}

// workLoop is the outermost loop around a site that asks, before each round, whether there is work: while (tile.is_valid()).
func (s *site) workLoop() *loop {
	for _, l := range s.loops {
		if w, ok := l.stmt.(*program.While); ok && w.DoWhile {
			continue
		}
		switch l.cond.(type) {
		case *program.Call, *program.Attr, *program.Name:
			return l
		}
	}
	return nil
}

// alsoLoops reports whether the waiting role goes on to a loop under the same condition, and has not asked for it before.
func (p *Pass) alsoLoops(w *site, l *loop) bool {
	cond := program.DumpExpr(l.cond)
	for _, g := range w.guards {
		if strings.Contains(program.DumpExpr(g.cond()), cond) {
			return false
		}
	}
	for _, m := range w.loops {
		if m.cond == nil || same(m.cond, l.cond) {
			return false
		}
	}
	for _, s := range p.sites {
		m := s.workLoop()
		if m != nil && m != l && same(m.cond, l.cond) && !exclusive(s, w) && m.stmt.Where().Start > w.op.Span.End {
			return true
		}
	}
	return false
}
