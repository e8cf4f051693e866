package barriers

import (
	"fmt"
	"math/bits"

	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
)

// Registers is what a CTA does wrong with its registers (setmaxnreg, PTX ISA 9.7.19.5).
type Registers struct {
	At   *ir.Place
	Pool bool // more are asked for than there are; else only some warps of a warpgroup ask
	Text string
}

const (
	warpgroup = 4 // warps, of which the first has a rank that four divides (PTX ISA 9.7.15.1)
	// registersOfSM is how many there are, and registerStep how finely they are given out (CUDA Programming Guide, compute capabilities 9.0 to 12.0;
	// PTX ISA 9.7.19.5).
	registersOfSM = 65536
	registerStep  = 8
)

// Registers lists what is wrong with the changes of how many registers threads have, where it is sure which warps make them.
func (r *Report) Registers() (out []Registers) {
	e := r.Execution
	if r.Guessed || r.Result == nil {
		return nil
	}
	for _, list := range e.Registers {
		for _, a := range list {
			if a.Unsure {
				return nil
			}
		}
	}
	byCTA := map[int][]int{}
	for n, w := range e.Program.Warps {
		byCTA[w.CTA] = append(byCTA[w.CTA], n)
	}
	place := func(a *exec.Allocation) *ir.Place { return &e.Kernel.Places[a.Place] }
	said := func(a *exec.Allocation) string {
		if a.Larger {
			return "setmaxnreg.inc"
		}
		return "setmaxnreg.dec"
	}
	for cta := range e.Program.CTAs {
		warps := byCTA[cta]
		for first := 0; first < len(warps); first += warpgroup {
			group := warps[first:min(first+warpgroup, len(warps))]
			least, most := group[0], group[0]
			for _, n := range group {
				if len(e.Registers[n]) < len(e.Registers[least]) {
					least = n
				}
				if len(e.Registers[n]) > len(e.Registers[most]) {
					most = n
				}
			}
			if len(e.Registers[least]) == len(e.Registers[most]) {
				continue
			}
			var without []int
			for _, n := range group {
				if w := e.Program.Warps[n]; len(e.Registers[n]) == len(e.Registers[least]) {
					for lane := range ir.Lanes {
						if w.Lanes>>lane&1 != 0 {
							without = append(without, w.First+lane)
						}
					}
				}
			}
			a := &e.Registers[most][len(e.Registers[least])]
			out = append(out, Registers{At: place(a), Text: fmt.Sprintf("some warps of a warpgroup execute %s here, %s never; expected all of them or none", said(a), replay.ThreadNames(without, cta))})
		}
		if pool := r.pool(warps, said); pool != nil {
			out = append(out, *pool)
		}
	}
	return out
}

// pool is an increase that cannot be had: the registers of a CTA are those that it was launched with, as many for each thread, and threads that give none back
// keep theirs. So what the others end up with is at most what they were launched with.
func (r *Report) pool(warps []int, said func(*exec.Allocation) string) *Registers {
	e := r.Execution
	var sum, threads, keep int64
	var most *exec.Allocation
	for _, n := range warps {
		list := e.Registers[n]
		lanes := int64(bits.OnesCount32(e.Program.Warps[n].Lanes))
		if len(list) == 0 {
			keep += lanes
			continue
		}
		last := &list[len(list)-1]
		if last.Count < 0 {
			return nil
		}
		sum, threads = sum+last.Count*lanes, threads+lanes
		if last.Larger && (most == nil || last.Count > most.Count) {
			most = last
		}
	}
	if most == nil {
		return nil
	}
	pool := registersOfSM / (threads + keep) / registerStep * registerStep * threads
	if sum <= pool {
		return nil
	}
	what := fmt.Sprintf("all threads of the CTA together want %d registers; expected at most %d", sum, pool)
	if keep > 0 {
		what = fmt.Sprintf("%d threads want %d registers, %d keep theirs; expected at most %d", threads, sum, keep, pool)
	}
	return &Registers{At: &e.Kernel.Places[most.Place], Pool: true, Text: fmt.Sprintf("%s asks for what cannot be had: %s", said(most), what)}
}
