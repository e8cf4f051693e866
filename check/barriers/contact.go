package barriers

import (
	"math/bits"
	"slices"

	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
)

// contacts are how threads of a run come to the same elements: it is executed once more for that, when it is asked.
type contacts struct {
	*search
	run   *Report
	known map[[2]uint32]handing
}

// handing says of two places whether one thread accesses at the first one what another thread accesses at the second one with a barrier between, and whether it does so the other way round.
type handing struct{ forth, back bool }

// contactsOf are those of a run.
func (s *search) contactsOf(run *Report) *contacts {
	if s.contacts == nil {
		s.contacts = map[*Report]*contacts{}
	}
	if s.contacts[run] == nil {
		s.contacts[run] = &contacts{search: s, run: run, known: map[[2]uint32]handing{}}
	}
	return s.contacts[run]
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
	h := c.orders(before, after)
	return h.back && !h.forth
}

// orders looks at two places for who hands what to whom. Where there is no time for that any more, or the threads of the run do not meet as one, nobody is seen to.
func (c *contacts) orders(before, after uint32) handing {
	key := [2]uint32{before, after}
	if h, known := c.known[key]; known || c.clock.over() {
		return h
	}
	if c.executed == nil || c.executed.run != c.run { // of one run at a time: it may be long
		c.executed = &rerun{run: c.run}
		if e, err := exec.Run(c.kernel, c.run.Execution.Launch); err == nil {
			if c.clock.ran(e); e.Stop == nil && meetsAsOne(e.Program) {
				c.executed.program = e.Program
			}
		}
	}
	var h handing
	if c.executed.program != nil {
		first, second := c.elements(before), c.elements(after)
		for at, one := range first {
			if other := second[at]; other != nil {
				h.forth, h.back = h.forth || precedes(&one.early, &other.late), h.back || precedes(&other.early, &one.late)
			}
		}
	}
	c.known[key] = h
	return h
}

// rerun is a run that was executed once more; program is nil where it is not to be had.
type rerun struct {
	run     *Report
	program *order.Program
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

// access is when a thread accesses an element: in which of the intervals between barriers.
type access struct{ interval, thread int }

// nobody accesses anything.
var nobody = access{thread: -1}

// visits are the first accesses of an element, and the last ones, of two threads each.
type visits struct{ early, late [2]access }

// note puts an access into a list of two of different threads, those that come before others.
func note(list *[2]access, a access, before func(a, b int) bool) {
	first, second := &list[0], &list[1]
	switch {
	case first.thread == a.thread:
		if before(a.interval, first.interval) {
			first.interval = a.interval
		}
	case first.thread < 0 || before(a.interval, first.interval):
		*first, *second = a, *first
	case second.thread < 0 || before(a.interval, second.interval):
		*second = a
	}
}

// precedes reports whether one thread accesses an element in an interval before the one in which another thread does.
func precedes(early, late *[2]access) bool {
	for _, a := range early {
		for _, b := range late {
			if a.thread >= 0 && b.thread >= 0 && a.thread != b.thread && a.interval < b.interval {
				return true
			}
		}
	}
	return false
}

// elements are the accesses of each address at a place, by four bytes.
func (c *contacts) elements(place uint32) map[uint32]*visits {
	out := map[uint32]*visits{}
	sooner, later := func(a, b int) bool { return a < b }, func(a, b int) bool { return a > b }
	made := 0
	for n, w := range c.executed.program.Warps {
		now := 0
		for k := range w.Commands {
			d := &w.Commands[k]
			if d.Kind == order.NamedSync {
				now++
			}
			if d.Place != place || !d.Kind.Access() {
				continue
			}
			for rest := d.Mask; rest != 0; rest &= rest - 1 {
				l := bits.TrailingZeros32(rest)
				a := access{now, n*ir.Lanes + l}
				at := d.A + uint32(d.B*int32(l))
				for b := at &^ 3; b < at+d.C; b += 4 {
					made++
					v := out[b]
					if v == nil {
						v = &visits{[2]access{nobody, nobody}, [2]access{nobody, nobody}}
						out[b] = v
					}
					note(&v.early, a, sooner)
					note(&v.late, a, later)
				}
			}
		}
	}
	c.clock.visited(made)
	return out
}
