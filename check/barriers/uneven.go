package barriers

import (
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
)

// uneven reports whether some threads of a CTA come to a barrier that counts all of them more often than others: a thread that has exited is waited for no more, which
// the manual does not promise of __syncthreads (CUDA C++ Programming Guide, Synchronization Functions).
func uneven(p *order.Program) bool {
	type barrier struct {
		cta int
		id  uint32
	}
	times := map[barrier]map[int]int{} // by thread
	for _, w := range p.Warps {
		for n := range w.Commands {
			c := &w.Commands[n]
			if c.Kind != order.NamedSync && c.Kind != order.NamedArrive || c.C != 0 {
				continue
			}
			at := barrier{w.CTA, c.A}
			if times[at] == nil {
				times[at] = map[int]int{}
			}
			for lane := range ir.Lanes {
				times[at][w.First+lane] += int(c.Mask >> lane & 1)
			}
		}
	}
	for at, of := range times {
		for _, w := range p.Warps {
			for lane := range ir.Lanes {
				if w.CTA == at.cta && w.Lanes>>lane&1 != 0 && of[w.First+lane] != of[0] {
					return true
				}
			}
		}
	}
	return false
}

// missed are the places of barriers that count all threads of a CTA, and whether some come to them less often than others.
func missed(p *order.Program) map[uint32]bool {
	type barrier struct {
		cta   int
		place uint32
	}
	times, out := map[barrier]map[int]int{}, map[uint32]bool{}
	for _, w := range p.Warps {
		for n := range w.Commands {
			c := &w.Commands[n]
			if c.Kind != order.NamedSync || c.C != 0 {
				continue
			}
			at := barrier{w.CTA, c.Place}
			if times[at] == nil {
				times[at] = map[int]int{}
			}
			for lane := range ir.Lanes {
				times[at][w.First+lane] += int(c.Mask >> lane & 1)
			}
		}
	}
	for at, of := range times {
		for _, w := range p.Warps {
			for lane := range ir.Lanes {
				if w.CTA == at.cta && w.Lanes>>lane&1 != 0 {
					out[at.place] = out[at.place] || of[w.First+lane] != of[0]
				}
			}
		}
	}
	return out
}
