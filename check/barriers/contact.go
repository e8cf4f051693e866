package barriers

import (
	"math/bits"
	"slices"

	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
)

// maxContacts bounds the pairs of threads that are looked at.
const maxContacts = 1 << 22

// interval says in which intervals between barriers a thread first and last accesses an element.
type interval struct{ first, last int }

// contacts are how threads of a run come to the same elements: it is executed once more for that, when it is asked first.
type contacts struct {
	*search
	run   *Report
	again *Report // nil: it was not, or is not to be had
	asked bool
}

// confirm reports whether a run without a race is no sign that its numbers are those that the author means: what one thread accesses at one of the two places, another
// thread accesses at the other one, as in the race, but only ever in the other order, with a barrier between. The places are how these threads hand
// data to each other, whatever the numbers are; that they do it again, which is where the race is, comes with more rounds.
func (c *contacts) confirm(r *Report, f *order.Finding) bool {
	if f.Check != order.Race || len(f.Points) != 2 || f.Points[0].Place == f.Points[1].Place {
		return false
	}
	before, after := f.Points[0].Place, f.Points[1].Place
	if r.later[[2]uint32{before, after}] {
		before, after = after, before
	}
	if c.firstOf(before) <= c.firstOf(after) { // in one round: more of them bring no new order
		return false
	}
	forth, back := c.orders(before, after)
	return back && !forth
}

// orders reports whether one thread accesses at the first of two places what another one accesses at the second one, and in which order, with a barrier between.
func (c *contacts) orders(before, after uint32) (forth, back bool) {
	if !c.asked && !c.over() {
		if e, err := exec.Run(c.kernel, c.run.Execution.Launch); err == nil {
			if c.clock.ran(e); e.Stop == nil && meetsAsOne(e.Program) {
				c.again = &Report{Execution: e}
			}
		}
	}
	if c.asked = true; c.again == nil {
		return false, false
	}
	first, second := c.again.elements(before), c.again.elements(after)
	left := maxContacts
	for at, threads := range first {
		for one, mine := range threads {
			for other, theirs := range second[at] {
				if left--; left < 0 {
					return false, false
				}
				if one != other {
					forth, back = forth || mine.first < theirs.last, back || theirs.first < mine.last
				}
			}
		}
	}
	return forth, back
}

// firstOf is the first instruction at a place that accesses memory.
func (c *contacts) firstOf(place uint32) int {
	return slices.IndexFunc(c.kernel.Insts, func(in ir.Inst) bool { return in.Place == place && (in.Op.Accesses() || in.Op == ir.Async) })
}

// orients notes of each race which of its places threads come to first in the interval that it is in, and which of its accesses are those that a thread makes there first.
func (r *Report) orients() {
	r.later, r.early = map[[2]uint32]bool{}, map[order.Point]bool{}
	for _, f := range r.Findings {
		if f.Check == order.Race && len(f.Points) == 2 {
			for _, p := range f.Points {
				r.early[p] = r.comesFirst(p)
			}
			r.later[[2]uint32{f.Points[0].Place, f.Points[1].Place}] = r.follows(f.Points[0], f.Points[1].Place)
		}
	}
}

// follows reports whether a thread has come to a place, since the last barrier, before it comes to one of its commands.
func (r *Report) follows(p order.Point, place uint32) bool {
	commands := r.Execution.Program.Warps[p.Warp].Commands
	for k := p.Index - 1; k >= 0 && commands[k].Kind != order.NamedSync; k-- {
		if commands[k].Place == place {
			return true
		}
	}
	return false
}

// comesFirst reports whether a thread has not come to a place before, since the last barrier.
func (r *Report) comesFirst(p order.Point) bool {
	commands := r.Execution.Program.Warps[p.Warp].Commands
	for k := p.Index - 1; k >= 0 && commands[k].Kind != order.NamedSync; k-- {
		if commands[k].Place == p.Place && commands[k].Mask>>p.Lane&1 != 0 {
			return false
		}
	}
	return true
}

// meetsAsOne reports whether barriers of the CTA are all of all its threads, and met equally often: then intervals of different threads are the same time.
func meetsAsOne(p *order.Program) bool {
	return !uneven(p) && !slices.ContainsFunc(p.Warps, func(w *order.Warp) bool {
		return slices.ContainsFunc(w.Commands, func(c order.Command) bool {
			return (c.Kind == order.NamedSync || c.Kind == order.NamedArrive) && (c.A != 0 || c.C != 0)
		})
	})
}

// elements are the intervals in which threads access each address at a place, by four bytes.
func (r *Report) elements(place uint32) map[uint32]map[int]interval {
	out := map[uint32]map[int]interval{}
	for n, w := range r.Execution.Program.Warps {
		now := 0
		for k := range w.Commands {
			c := &w.Commands[k]
			if c.Kind == order.NamedSync {
				now++
			}
			if c.Place != place || !c.Kind.Access() {
				continue
			}
			for rest := c.Mask; rest != 0; rest &= rest - 1 {
				l := bits.TrailingZeros32(rest)
				thread := n*ir.Lanes + l
				at := c.A + uint32(c.B*int32(l))
				for b := at &^ 3; b < at+c.C; b += 4 {
					if out[b] == nil {
						out[b] = map[int]interval{}
					}
					i, met := out[b][thread]
					if !met {
						i.first = now
					}
					i.last = now
					out[b][thread] = i
				}
			}
		}
	}
	return out
}
