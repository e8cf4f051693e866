package rules

import (
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// phaseReset (FP105) reports a phase that an outer loop sets back to a constant although the barriers go on from one
// iteration to the next (PH-06).
func phaseReset(p *Pass) {
	for _, s := range p.sites {
		inner := s.loop()
		name := p.phaseVariable(s)
		if inner == nil || name == "" || inner.owner != p.fn || !inner.assigned()[name] {
			continue
		}
		b := s.barrier()
		if !s.blocks() || !inner.repeats(b, p.fn) || !p.again(b, s) {
			continue
		}
		outer, reset := p.resetLoop(s, inner, name)
		if outer == nil || !p.sameBarriers(outer, inner, b) || p.evenTrips(inner, b) || p.freshIn(outer) || p.runsOnce(outer) {
			continue
		}
		f := p.report(reset.Where(), "phase %q restarts in every pass of the outer loop, but barrier %q goes on; expected no restart", name, b.base)
		p.label(f, outer.header, "the barrier is not initialised again in this loop")
		p.label(f, s.span, "waits with the restarted phase")
		f.Help = "move the initialisation of " + name + " out of the outer loop"
	}
}

// sameBarriers reports whether the outer loop comes back to the barriers the inner one uses.
func (p *Pass) sameBarriers(outer, inner *loop, b barrier) bool {
	if b.index != nil && !inner.varies(b.index) {
		return outer.repeats(b, p.fn)
	}
	return outer.repeats(barrier{base: b.base}, p.fn)
}

// resetLoop finds the outer loop that sets the name to a constant, outside the inner one and unconditionally.
func (p *Pass) resetLoop(s *site, inner *loop, name string) (*loop, program.Node) {
	for i := len(s.loops) - 2; i >= 0; i-- {
		outer := s.loops[i]
		direct := map[program.Node]bool{}
		blocks := [][]program.Stmt{loopBody(outer)}
		for len(blocks) > 0 {
			body := blocks[0]
			blocks = blocks[1:]
			for _, st := range body {
				direct[st] = true
				switch st := st.(type) {
				case *program.Block:
					blocks = append(blocks, st.Body)
				case *program.If: // a role's branch: every pass takes it or none does
					if !outer.varies(st.Cond) {
						blocks = append(blocks, st.Then, st.Else)
					}
				case *program.With:
					blocks = append(blocks, st.Body)
				case *program.Try:
					blocks = append(blocks, st.Body, st.Else, st.Finally)
				}
			}
		}
		for _, d := range p.fn.defs[name] {
			if _, constant := p.fn.fold(d.value); constant && d.op == "=" && direct[d.node] && d.node.Where().Start < inner.stmt.Where().Start {
				return outer, d.node
			}
		}
	}
	return nil, nil
}

// evenTrips reports whether the inner loop takes each barrier through an even number of phases: then the constant is
// right again.
func (p *Pass) evenTrips(inner *loop, b barrier) bool {
	n, ok := p.trips(inner)
	if !ok {
		return false
	}
	stages := int64(1)
	if b.index != nil && inner.varies(b.index) {
		if stages, ok = p.fn.fold(p.ring(b.index, inner)); !ok || stages <= 0 {
			return true // a ring of unknown size: not certain
		}
	}
	return n%(2*stages) == 0
}

// freshIn reports whether barriers are initialised inside the loop.
func (p *Pass) freshIn(l *loop) bool {
	for _, s := range l.sites {
		if s.op.Kind == dialect.MbarrierInit {
			return true
		}
	}
	return false
}
