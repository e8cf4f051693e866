package interval

import (
	"slices"

	"github.com/fencepost-dev/fencepost/ir"
)

// flight is what a thread has started to copy by cp.async and has not waited for: what belongs to no group yet, and groups, the oldest first (PTX ISA 9.7.9.25.3).
type flight struct {
	open   []event
	groups [][]event
}

// Limits of what is followed of copies.
const (
	maxOnward = 6    // barriers that copies are followed across
	maxFlight = 1024 // copies of a thread
	leastBulk = 16   // bytes that a bulk copy moves (PTX ISA 9.7.9.25.4.1); a row of a tensor has as many (CUDA Driver API, cuTensorMapEncodeTiled)
)

func isCopy(in *ir.Inst) bool {
	return in.Op == ir.Async && ir.Unit(in.Mode) == ir.CpAsync && in.Flags&ir.ToShared != 0 && in.Extra != nil && len(in.Extra.Operands) > 1
}

// copies are what an instruction does with copies of the thread's own: what one writes from now on, and what those write that are waited for here and were started before the barriers that the thread has passed
// since. Others may have read there before, and may read there now.
func (s *state) copies(k int32, in *ir.Inst, r rounds, f *flight) (out []event) {
	switch {
	case isCopy(in):
		to, n := s.read(k, in.Extra.Operands[0], ir.Register, r), s.read(k, in.B, ir.Register, r)
		at := to.n + in.Extra.Offsets[0]
		if at>>ir.WindowBits == ir.SharedWindow>>ir.WindowBits {
			at -= ir.SharedWindow
		}
		if to.taint&opaque != 0 || to.split() || n.taint != 0 || n.n <= 0 || n.n > 16 || at < 0 || at >= 1<<ir.RankBits || !s.inside(k, at, n.n) {
			return nil
		}
		e := event{inst: k, thread: s.thread, at: at, size: n.n, writes: true, chosen: to.taint&(chosen|data) != 0}
		if len(f.open) < maxFlight {
			f.open = append(f.open, e)
		}
		return []event{e}
	case in.Op == ir.Async && in.Flags&ir.FromShared != 0 && in.Flags&ir.ToShared == 0 && in.Extra != nil && len(in.Extra.Operands) > 1:
		// It reads from now on. Who writes there later than the thread has waited for that has met it since.
		from, n := s.read(k, in.Extra.Operands[1], ir.Register, r), s.read(k, in.B, ir.Register, r)
		at := from.n + in.Extra.Offsets[1]
		if at>>ir.WindowBits == ir.SharedWindow>>ir.WindowBits {
			at -= ir.SharedWindow
		}
		size := n.n
		if in.Flags&ir.Tensor != 0 || n.taint&(data|opaque) != 0 || n.split() || size <= 0 || size > maxArray {
			size = leastBulk
		}
		if from.taint&opaque != 0 || from.split() || at < 0 || at >= 1<<ir.RankBits || !s.inside(k, at, size) {
			return nil
		}
		return []event{{inst: k, thread: s.thread, at: at, size: size, chosen: (from.taint|n.taint)&(chosen|data) != 0}}
	case in.Op == ir.AsyncArrive: // an mbarrier says when they are over
		*f = flight{}
	case in.Op == ir.GroupCommit && ir.Unit(in.Mode) == ir.CpAsync:
		f.groups, f.open = append(f.groups, f.open), nil
	case in.Op == ir.GroupWait && ir.Unit(in.Mode) == ir.CpAsync:
		n := s.read(k, in.A, ir.Register, r)
		if n.taint != 0 || n.n < 0 {
			*f = flight{}
			return nil
		}
		for ; int64(len(f.groups)) > n.n; f.groups = f.groups[1:] {
			for _, e := range f.groups[0] {
				if e.carried {
					out = append(out, e)
				}
			}
		}
	}
	return out
}

// pending reports whether a thread has copies that it has not waited for.
func (f *flight) pending() bool {
	return len(f.open) > 0 || slices.ContainsFunc(f.groups, func(g []event) bool { return len(g) > 0 })
}

// carry says of all of them that the thread has passed a barrier since.
func (f *flight) carry() {
	for _, g := range append([][]event{f.open}, f.groups...) {
		for k := range g {
			g[k].carried = true
		}
	}
}

// stopped is where a thread's interval ended: at the barrier, in these rounds.
type stopped struct {
	thread int
	barrier
	flight *flight
}

type barrier struct {
	inst   int32 // -1: it ended otherwise
	rounds rounds
}

func (b *barrier) same(o *barrier) bool { return b.inst == o.inst && slices.Equal(b.rounds, o.rounds) }

// onward looks at the intervals behind one in which threads have started copies, and which they wait for there: what a thread has waited for is there for others behind the next barrier.
func (s *sample) onward(list []stopped) {
	s.carries = true
	defer func() { s.carries = false }()
	for range maxOnward {
		if len(list) == 0 || list[0].inst < 0 || !slices.ContainsFunc(list, func(t stopped) bool { return t.flight.pending() }) {
			return
		}
		from := list[0].inst + 1
		first := list[0].barrier
		var events []event
		var next []stopped
		for _, t := range list {
			if !t.same(&first) {
				continue
			}
			t.flight.carry()
			th := s.state(t.thread)
			r := t.rounds.copy()
			mine, fits, at := th.walk(from, s.flow.BlockOf(from), r, t.flight)
			if th.cutShort() || !fits {
				return
			}
			if events = append(events, mine...); len(events) > maxEvents {
				return
			}
			next = append(next, stopped{t.thread, barrier{at, r}, t.flight})
		}
		s.compare(from, events)
		list = next
	}
}
