package rules

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// unscheduledWait (FP501) reports a wait for another CTA of the grid where nothing shows that CTA to run (SP-01;
// notes/semantics.md 5): a launch in this file that is not cooperative, without a bound by what fits on the device, and no
// ticket. Locks are fine: who holds one has started.
func unscheduledWait(p *Pass) {
	if !p.fn.fn.Kernel {
		return
	}
	var tickets map[string]bool
	for _, s := range p.sites {
		if !p.waitsForBlock(s) {
			continue
		}
		if tickets == nil {
			if !p.launchedInFile() || p.resident() {
				return
			}
			tickets = p.drawn()
		}
		if p.byTicket(s, tickets) {
			continue
		}
		who, model := p.awaited(s)
		f := p.report(s.span, "this wait ends only if %s: it needs %s; CUDA promises that for cooperative launches only", who, model)
		for _, w := range p.writers(s) {
			p.label(f, w.span, "%q is set here", p.flagName(s))
			break
		}
		f.Help = "launch cooperatively, or take CTA numbers from an atomic counter and wait for lower ones only"
	}
}

// waitsForBlock reports whether a site polls a flag of the grid that another CTA of the same kernel sets.
func (p *Pass) waitsForBlock(s *site) bool {
	if s.spin == nil || !polls[s.op.Kind] || s.named || p.shared(s) || p.buffer(s.arg("ptr"), nil) != "" || s.op.Text("scope", "") == "sys" || p.locks(s) || p.ofOtherGPU(s) {
		return false
	}
	if s.op.Kind == plainLoad && !flagLike(p.flagName(s)) && !p.onDevice(s) {
		return false
	}
	if scope := s.op.Text("scope", ""); scope == "cta" || scope == "cluster" || scope != "gpu" && !p.inGrid(s) {
		return false
	}
	if mine, ok := s.ofOneBlock(); ok { // the CTA that waits may be the one that sets it
		for _, w := range p.writers(s) {
			if by, known := w.ofOneBlock(); known && by == mine {
				return false
			}
		}
	}
	return len(p.writers(s)) > 0
}

// inGrid reports whether the address is of global memory: a pointer parameter's, or a variable's.
func (p *Pass) inGrid(s *site) bool { return p.global(s) || p.onDevice(s) }

// onDevice reports whether a site works on a __device__ variable.
func (p *Pass) onDevice(s *site) bool {
	base := s.barrier().base
	_, ok := p.fn.file.globals[base]
	return ok && p.fn.types[base] == ""
}

// locks reports whether a spin takes a lock: it sets what it polls, from 0; or from another number, to which whoever has taken it sets it back.
func (p *Pass) locks(s *site) bool {
	switch s.op.Kind {
	case dialect.AtomicExch:
		return true
	case dialect.AtomicCas:
		free, known := s.owner.fold(s.arg("cmp"))
		return !known || free == 0 || p.setFreeBehind(s, free)
	}
	return false
}

// setFreeBehind reports whether all that set what a site takes do so behind it, wherever it is passed, and to a number.
func (p *Pass) setFreeBehind(s *site, free int64) bool {
	all := p.writers(s)
	return len(all) > 0 && !slices.ContainsFunc(all, func(w *site) bool {
		n, known := w.owner.fold(w.arg("value"))
		behind := slices.Index(p.sites, s) < slices.Index(p.sites, w) && !slices.ContainsFunc(w.guards, func(g *guard) bool {
			return !slices.ContainsFunc(s.guards, func(o *guard) bool { return o.negated == g.negated && same(o.cond(), g.cond()) })
		})
		return !known || n != free || !behind
	})
}

// writers are the operations of the kernel that set what a site polls.
func (p *Pass) writers(s *site) (out []*site) {
	name := p.flagName(s)
	for _, w := range p.sites {
		if name != "" && w.spin == nil && writesFlag[w.op.Kind] && p.flagName(w) == name && !p.resets(w) {
			out = append(out, w)
		}
	}
	return out
}

// byTicket reports whether a wait is by a number that its CTA drew, for one that is not higher.
func (p *Pass) byTicket(s *site, tickets map[string]bool) bool {
	for _, g := range s.guards {
		if g.fn.mentionsAny(g.cond(), tickets, 0) {
			return true // the last to come, say, waits for those that came before
		}
	}
	ptr := s.arg("ptr")
	if s.owner.mentionsAny(ptr, tickets, 0) {
		return s.owner.offset(ptr, 0) <= 0
	}
	return p.fn.mentionsAny(s.until(), tickets, 0)
}

// offset adds up what is added to an expression by constants, through definitions.
func (f *function) offset(x program.Expr, depth int) (n int64) {
	if depth > 4 {
		return 0
	}
	program.WalkExprs(x, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Binary:
			if v, constant := f.fold(e.Y); constant && e.Op == "+" {
				n += v
			} else if constant && e.Op == "-" {
				n -= v
			}
		case *program.Unary:
			if v, constant := f.fold(e); constant {
				n += v
				return false
			}
		case *program.Name:
			if v := f.definition(e); v != nil {
				if _, constant := f.fold(e); !constant {
					n += f.offset(v, depth+1)
				}
			}
		}
		return true
	})
	return n
}

// awaited says who has to run for a wait to end, and the model of forward progress that promises it.
func (p *Pass) awaited(s *site) (who, model string) {
	index := s.barrier().index
	if index != nil && s.owner.blockUse(index, 0) == someBlock {
		switch n := s.owner.offset(index, 0); {
		case n < 0:
			return "lower CTAs are scheduled", "LOBE"
		case n > 0:
			return "higher CTAs are scheduled", "fairness"
		}
	}
	writers := p.writers(s)
	if n, one := writers[0].ofOneBlock(); one && len(writers) == 1 {
		if n == 0 {
			return "CTA 0 is scheduled", "LOBE"
		}
		return fmt.Sprintf("CTA %d is scheduled", n), "fairness"
	}
	_, alone := s.ofOneBlock()
	if _, one := writers[0].ofOneBlock(); !one && !alone && p.fn.gridSize(s.until(), 0) {
		return "all CTAs run at a time", "fairness"
	}
	if alone {
		return "the other CTAs are scheduled", "fairness"
	}
	return "the CTA that sets it runs", "fairness"
}
