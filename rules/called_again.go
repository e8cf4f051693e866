package rules

import (
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// calledAgain reports a helper that returns while threads may still read shared memory, and that writes it before its first
// barrier: two calls in a row race. That is for the caller to see to, unless the helper ends with a barrier that a flag of
// its own leaves out, as it does by default.
func (p *Pass) calledAgain() {
	if p.fn.fn.Kernel || p.File.Language != program.CUDA || p.fn.oneWarp() || p.fn.file.inKernel(p.fn.fn) {
		return
	}
	sites := p.words()
	last := -1 // the barrier that is left out
	again := &loop{stmt: &program.Block{Place: program.Place{Span: p.fn.fn.Span}, Body: p.fn.fn.Body}, owner: p.fn}
	for _, s := range sites {
		if !p.leftOut(s) {
			again.sites = append(again.sites, s)
		} else if s.op.Kind == dialect.CtaSync {
			last = s.order
		}
	}
	told := map[string]bool{}
	for _, b := range again.sites {
		for _, a := range again.sites {
			if a.order >= last || a.slot == nil || b.slot == nil || a.slot.key != b.slot.key || told[b.slot.key] || p.tired() {
				continue
			}
			if p.nextOverwrites(a, b, again, sites) {
				told[b.slot.key] = true
				p.about = b.slot.name
				f := p.report(a.op.Span, "%q may still be read here when the caller goes on, and a second call overwrites it; no barrier in between", a.slot.name)
				p.label(f, b.op.Span, "written here by the next call")
				p.label(f, sites[last].op.Span, "this barrier is left out by default")
				f.Help = "end with the barrier whatever the flag says"
			}
		}
	}
}

// nextOverwrites reports whether b of the next call may come before a of this one.
func (p *Pass) nextOverwrites(a, b *site, again *loop, sites []*site) bool {
	if a.mode&reads == 0 || b.mode&writes == 0 || counted(a, b) || ownSlot(a, b) || exclusive(a, b) || joinedAround(a, b, again, (*site).joins) {
		return false
	}
	return (!a.slot.passed || p.exchanges(a.slot.key, sites)) && p.collide(route{from: a, to: b, around: again, first: reads}, 0)
}

// exchanges reports whether threads of different warps give each other something through a pointer that the function is
// given: it then points to memory that the CTA shares.
func (p *Pass) exchanges(key string, sites []*site) bool {
	for _, a := range sites {
		for _, b := range sites[a.order:] {
			if a.slot != nil && b.slot != nil && a.slot.key == key && b.slot.key == key && a.mode&writes != 0 && b.mode&reads != 0 && !p.tired() &&
				!ownSlot(a, b) && p.collide(route{from: a, to: b, first: writes}, 0) {
				return true
			}
		}
	}
	return false
}

// inKernel reports whether a kernel of the file calls the function, or a function that does: the rules then look at the
// calls as they are.
func (f *fileFacts) inKernel(fn *program.Function) bool {
	if f.kernelsCall == nil {
		f.kernelsCall = map[string]bool{}
		var open []*program.Function
		for _, g := range f.file.Functions {
			if g.Kernel {
				open = append(open, g)
			}
		}
		for len(open) > 0 {
			g := open[len(open)-1]
			open = open[:len(open)-1]
			for e := range program.Exprs(g.Body) {
				c, ok := e.(*program.Call)
				if !ok {
					continue
				}
				name := calledName(c)
				if name != "" && !f.kernelsCall[name] {
					f.kernelsCall[name] = true
					open = append(open, f.byName[name]...)
				}
			}
		}
	}
	return f.kernelsCall[fn.Name]
}

// leftOut reports whether a call that leaves parameters at their defaults does not get to the site.
func (p *Pass) leftOut(s *site) bool {
	for _, g := range s.guards {
		n, ok := g.cond().(*program.Name)
		if !ok || g.negated {
			continue
		}
		for _, q := range p.fn.fn.Params {
			if b, isBool := q.Default.(*program.Bool); q.Name == n.Ident && isBool && !b.Value {
				return true
			}
		}
	}
	return false
}
