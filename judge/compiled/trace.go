package compiled

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
)

// Variable is a variable in shared memory.
type Variable struct {
	Name string // the one that the source gives it
	At   int    // offset in the shared memory of a CTA
	Size int    // bytes; 0 for an array whose extent the launch gives
}

// tensorMemory is the name of the whole of it.
const tensorMemory = "tensor memory"

// Execution is a kernel as it was executed: the commands of one CTA, or of one cluster.
type Execution struct {
	*exec.Execution
	Variables []Variable
	grid      map[uint32]bool // places of barriers of the grid
}

// Of is an execution whose variables have the names that the source gives them.
func Of(e *exec.Execution, name func(string) string) *Execution {
	out := &Execution{Execution: e, grid: map[uint32]bool{}}
	for _, in := range e.Kernel.Insts {
		if in.Op == ir.BarrierCluster && in.Scope == ir.ScopeGPU {
			out.grid[in.Place] = true
		}
	}
	for _, v := range e.Kernel.SharedVariables() {
		out.Variables = append(out.Variables, Variable{name(v.Name), int(v.At), max(0, int(v.Size))})
	}
	return out
}

// Thread is what one thread does.
type Thread struct {
	CTA, Index int
	Steps      []Step
	Between    [][]Touch // accesses before each of the steps, and behind the last
	InFlight   [][]Touch // by step: those of the thread's copies that are not waited for when it comes there
}

// Threads are all of an execution.
func (e *Execution) Threads() []*Thread {
	var out []*Thread
	for _, w := range e.Program.Warps {
		for rest := w.Lanes; rest != 0; rest &= rest - 1 {
			t := tracer{Thread: &Thread{CTA: w.CTA, Between: [][]Touch{nil}}, e: e, w: w, lane: bits.TrailingZeros32(rest)}
			t.Index = w.First + t.lane
			for i := range w.Commands {
				if c := &w.Commands[i]; c.Mask>>t.lane&1 != 0 {
					t.command(c)
				}
			}
			out = append(out, t.Thread)
		}
	}
	return out
}

// tracer follows one thread.
type tracer struct {
	*Thread
	e      *Execution
	w      *order.Warp
	lane   int
	open   []flight   // copies of no group yet
	groups [][]flight // that no wait has covered
}

// flight is a copy that only a wait for groups of its thread completes.
type flight struct {
	unit    order.Unit
	touches []Touch
}

var acts = map[order.Kind]Act{order.NamedArrive: BarArrive, order.NamedSync: BarSync, order.WarpSync: WarpSync, order.WarpMeet: Collective,
	order.ClusterArrive: ClusterArrive, order.ClusterWait: ClusterWait, order.MbarInit: Init, order.MbarInval: Invalidate, order.MbarArrive: Arrive,
	order.MbarDrop: Drop, order.MbarExpect: Expect, order.MbarComplete: Complete, order.MbarWait: Wait, order.MbarWaitToken: Wait}

func (t *tracer) command(c *order.Command) {
	switch c.Kind {
	case order.Read, order.Write, order.Atomic:
		_, perhaps := t.e.Unsure[c.Place]
		x := t.touched(order.Address{Base: c.A, Stride: c.B, Size: c.C}, c.Kind != order.Read)
		x.Perhaps = perhaps
		t.touch(x)
	case order.AsyncCopy:
		t.copy(c)
	case order.AsyncArrive:
		t.arrive(c)
	case order.AsyncCommit:
		t.commit(order.Unit(c.C))
	case order.AsyncWait:
		t.wait(order.Unit(c.C), int(c.B), c.Flags&order.ReadsDone != 0)
	default:
		if act, ok := acts[c.Kind]; ok {
			t.step(act, c)
		}
	}
}

func (t *tracer) touch(x ...Touch) {
	last := len(t.Between) - 1
	t.Between[last] = append(t.Between[last], x...)
}

func (t *tracer) step(act Act, c *order.Command) {
	if t.e.grid[c.Place] { // one thread of a CTA, which have met, arrives for all and waits; then they meet again (cooperative_groups/details/sync.h)
		if act == ClusterArrive {
			return
		}
		act = BarSync
	}
	s := Step{Act: act}
	switch act {
	case BarSync, BarArrive:
		s.Barrier, s.Count = int(c.A), int(c.C)
	case WarpSync, Collective:
		s.Lanes = c.Mask
	case Wait:
		if s.Parity = int(c.C); c.Kind == order.MbarWaitToken {
			s.Parity = token
		}
		s.Signals = []Signal{t.signal(c.A)}
	case Init, Invalidate:
		s.Count = int(c.B)
		s.Signals = []Signal{t.signal(c.A)}
	case Arrive, Drop, Expect, Complete:
		s.Count, s.Bytes = int(c.B), int(c.C)
		s.Signals = []Signal{t.signal(c.A)}
	}
	t.add(s, c)
}

// add ends the accesses at hand with a step. What is in flight goes on behind it.
func (t *tracer) add(s Step, c *order.Command) {
	s.Place = t.e.Kernel.Where(&t.e.Kernel.Places[c.Place])
	var flying []Touch
	for _, g := range append(slices.Clone(t.groups), t.open) {
		for _, f := range g {
			flying = append(flying, f.touches...)
		}
	}
	t.Steps, t.InFlight, t.Between = append(t.Steps, s), append(t.InFlight, flying), append(t.Between, slices.Clone(flying))
}

func (t *tracer) signal(at uint32) Signal {
	x := t.touched(order.Address{Base: at, Size: 8}, true)
	return Signal{Mbarrier: at, Name: fmt.Sprintf("%s+%d of CTA %d", x.Variable, x.Lo, x.CTA)}
}

func (t *tracer) copy(c *order.Command) {
	op := t.w.Copy(c)
	var touches []Touch
	for _, a := range op.Accesses {
		if a.Size > 0 {
			touches = append(touches, t.touched(a.Address, a.Write))
		}
	}
	if len(op.Effects) == 0 {
		t.touch(touches...)
		t.open = append(t.open, flight{op.Unit, touches})
		return
	}
	s := Step{Act: Copy, Touches: touches}
	for _, x := range op.Effects {
		g := t.signal(x.Mbar)
		g.Bytes, g.Arrivals = int(x.Bytes), int(x.Arrivals)
		s.Signals = append(s.Signals, g)
	}
	t.add(s, c)
}

// arrive is an arrival behind copies, which are over with it. One that is not in the count of the mbarrier makes one more
// pending until then: as if a byte were expected and completed.
func (t *tracer) arrive(c *order.Command) {
	g := t.signal(c.A)
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
	t.groups = slices.DeleteFunc(t.groups, func(g []flight) bool { return len(g) == 0 }) // an arrival took them
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

// touched is an access by the lane, in the variable that it is of.
func (t *tracer) touched(at order.Address, write bool) Touch {
	const offsetBits = 24                                         // order.Shared
	lo := uint32(int64(at.Base) + int64(t.lane)*int64(at.Stride)) // the base is that of lane 0, which may not be among the lanes
	x := Touch{CTA: int(lo >> offsetBits), Write: write}
	n := int(lo & (1<<offsetBits - 1))
	if order.InTensorMemory(lo) {
		x.Variable, x.Lo, x.Hi = tensorMemory, n, n+int(at.Size)
		return x
	}
	for _, v := range t.e.Variables {
		if n >= v.At && (v.Size == 0 || n < v.At+v.Size) {
			x.Variable, x.Lo, x.Hi = v.Name, n-v.At, n-v.At+int(at.Size)
		}
	}
	return x
}
