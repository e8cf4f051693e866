package compiled

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/fencepost-dev/fencepost/engine/order"
)

// Execution is a kernel as it was executed: the commands of one CTA, or of one cluster.
type Execution struct {
	Program   *order.Program
	First     int // the CTA of the launch that the program's first one is
	Variables []Variable
	Place     func(*order.Command) string
	Vague     func(*order.Command) bool // its text does not tell how much it copies
	Stuck     bool                      // some threads do not come to their end
}

// Groups are the threads, each by itself.
func (e *Execution) Groups() []Group {
	var out []Group
	for _, w := range e.Program.Warps {
		for rest := w.Lanes; rest != 0; rest &= rest - 1 {
			t := tracer{e: e, w: w, lane: bits.TrailingZeros32(rest), blocks: [][]Touch{nil}}
			for i := range w.Commands {
				if c := &w.Commands[i]; c.Mask>>t.lane&1 != 0 {
					t.command(c)
				}
			}
			out = append(out, Group{CTA: w.CTA + e.First, Threads: []int{w.First + t.lane}, Steps: t.steps, Waits: e.Stuck,
				Touches:  func(_, interval int) []Touch { return t.blocks[interval] },
				InFlight: func(_, step int) []Touch { return t.flights[step] }})
		}
	}
	return out
}

// tracer follows one thread.
type tracer struct {
	e       *Execution
	w       *order.Warp
	lane    int
	steps   []Step
	blocks  [][]Touch
	flights [][]Touch
	open    []flight   // copies of no group yet
	groups  [][]flight // that no wait has covered
}

// flight is a copy that only a wait for groups of its thread completes.
type flight struct {
	unit    order.Unit
	touches []Touch
}

var kinds = map[order.Kind]Act{order.NamedArrive: BarArrive, order.NamedSync: BarSync, order.WarpSync: WarpSync, order.WarpMeet: Collective,
	order.ClusterArrive: ClusterArrive, order.ClusterWait: ClusterWait, order.MbarInit: Init, order.MbarArrive: Arrive, order.MbarDrop: Drop,
	order.MbarExpect: Expect, order.MbarComplete: Complete, order.MbarWait: Wait, order.MbarWaitToken: Wait}

func (t *tracer) command(c *order.Command) {
	switch c.Kind {
	case order.Read, order.Write, order.Atomic:
		at := order.Address{Base: c.A, Stride: c.B, Size: c.C}
		if !order.InTensorMemory(laneAddress(at, t.lane)) { // the base is that of lane 0, which may not be among the lanes
			t.touch(t.e.touch(at, t.lane, c.Kind != order.Read))
		}
	case order.AsyncCopy:
		t.copy(c)
	case order.AsyncArrive:
		t.arrive(c)
	case order.AsyncCommit:
		t.commit(order.Unit(c.C))
	case order.AsyncWait:
		t.wait(order.Unit(c.C), int(c.B), c.Flags&order.ReadsDone != 0)
	default:
		if act, ok := kinds[c.Kind]; ok {
			t.step(act, c)
		}
	}
}

func (t *tracer) touch(x ...Touch) {
	last := len(t.blocks) - 1
	t.blocks[last] = append(t.blocks[last], x...)
}

func (t *tracer) step(act Act, c *order.Command) {
	s := Step{Act: act}
	switch act {
	case BarSync, BarArrive:
		s.Barrier, s.Count = int(c.A), int(c.C)
	case WarpSync, Collective:
		s.Count = bits.OnesCount32(c.Mask)
	case Wait:
		if s.Parity = int(c.C); c.Kind == order.MbarWaitToken {
			s.Parity = Unknown
		}
		s.Signals = []Signal{t.e.signal(c.A)}
	case Init, Arrive, Drop, Expect, Complete:
		s.Count, s.Bytes = int(c.B), int(c.C)
		if act == Init {
			s.Bytes = 0
		}
		s.Signals = []Signal{t.e.signal(c.A)}
	}
	t.add(s, c)
}

// add ends the block at hand with a step. What is in flight goes on behind it.
func (t *tracer) add(s Step, c *order.Command) {
	s.Place = t.e.Place(c)
	t.steps = append(t.steps, s)
	var flying []Touch
	for _, g := range append(slices.Clone(t.groups), t.open) {
		for _, f := range g {
			flying = append(flying, f.touches...)
		}
	}
	t.flights, t.blocks = append(t.flights, flying), append(t.blocks, slices.Clone(flying))
}

func (e *Execution) signal(at uint32) Signal {
	x := e.touch(order.Address{Base: at, Size: 8}, 0, true)
	return Signal{Mbarrier: int(at), Name: fmt.Sprintf("%s+%d of CTA %d", x.Variable, x.Lo, x.CTA)}
}

func (t *tracer) copy(c *order.Command) {
	op := t.w.Copy(c)
	var touches []Touch
	for _, a := range op.Accesses {
		if a.Size > 0 && op.Unit < order.Wgmma { // what descriptors describe the source does not say
			touches = append(touches, t.e.touch(a.Address, t.lane, a.Write))
		}
	}
	if len(op.Effects) == 0 {
		t.touch(touches...)
		t.open = append(t.open, flight{op.Unit, touches})
		return
	}
	s := Step{Act: Copy, Touches: touches}
	for _, x := range op.Effects {
		g := t.e.signal(x.Mbar)
		if g.Bytes, g.Arrivals = int(x.Bytes), int(x.Arrivals); t.e.Vague(c) {
			g.Bytes = Unknown
		}
		s.Signals = append(s.Signals, g)
	}
	t.add(s, c)
}

// arrive is an arrival behind copies, which are over with it. One that is not in the count of the mbarrier makes one more
// pending until then: as if a byte were expected and completed.
func (t *tracer) arrive(c *order.Command) {
	g := t.e.signal(c.A)
	g.Arrivals = 1
	s := Step{Act: ArriveBehind, Signals: []Signal{g}}
	if c.Flags&order.Included == 0 {
		t.add(Step{Act: Expect, Bytes: 1, Signals: []Signal{{Mbarrier: g.Mbarrier, Name: g.Name}}}, c)
		s.Act, s.Signals[0].Arrivals, s.Signals[0].Bytes = Copy, 0, 1
	}
	take := func(list []flight) []flight {
		return slices.DeleteFunc(list, func(f flight) bool {
			if f.unit != order.Unit(c.C) {
				return false
			}
			s.Touches = append(s.Touches, f.touches...)
			return true
		})
	}
	t.open = take(t.open)
	for i := range t.groups {
		t.groups[i] = take(t.groups[i])
	}
	t.add(s, c)
}

func (t *tracer) commit(unit order.Unit) {
	var mine, others []flight
	for _, f := range t.open {
		if f.unit == unit {
			mine = append(mine, f)
		} else {
			others = append(others, f)
		}
	}
	t.groups, t.open = append(t.groups, append([]flight{{unit: unit}}, mine...)), others
}

// wait covers all groups of a unit but the newest.
func (t *tracer) wait(unit order.Unit, left int, readsOnly bool) {
	n := 0
	for _, g := range t.groups {
		if g[0].unit == unit {
			n++
		}
	}
	t.groups = slices.DeleteFunc(t.groups, func(g []flight) bool {
		if g[0].unit != unit {
			return false
		}
		if n--; n < left {
			return false
		}
		if !readsOnly {
			return true
		}
		for i := range g {
			g[i].touches = slices.DeleteFunc(g[i].touches, func(x Touch) bool { return !x.Write })
		}
		return false
	})
}

// touch is an access by a lane, in the variable that it is of.
func (e *Execution) touch(at order.Address, lane int, write bool) Touch {
	const offsetBits = 24 // order.Shared
	lo := laneAddress(at, lane)
	t := Touch{CTA: int(lo>>offsetBits) + e.First, Write: write}
	n := int(lo & (1<<offsetBits - 1))
	for _, v := range e.Variables {
		if n >= v.At && (v.Size == Unknown || n < v.At+v.Size) {
			t.Variable, t.Lo, t.Hi = v.Name, n-v.At, n-v.At+int(at.Size)
		}
	}
	return t
}

func laneAddress(at order.Address, lane int) uint32 {
	return uint32(int64(at.Base) + int64(lane)*int64(at.Stride))
}
