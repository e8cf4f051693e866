package ir

import (
	"fmt"
	"slices"
	"strings"
)

// Effects are what a function does, with all that it calls.
type Effects struct {
	Accesses  []Access  // may; of global memory those that instructions of the IR make: what is forgotten of others may access it, too
	Barriers  []Barrier // may; those on all ways from the function's start to its end are must
	Starts    []Unit    // units of which it may start operations
	WaitsFor  []Unit    // units for whose groups it may wait
	Tensor    bool      // it may access tensor memory
	Mbarriers bool      // it may wait for a phase of an mbarrier, or ask whether it is over
	Opaque    string    // the first instruction that does more than is known; "": there is none
	Forever   string    // why it may not return; "": it does, if all that it waits for comes
}

// Access is what is done to memory.
type Access struct {
	Reads, Writes, Atomic, Async bool // atomics neither read nor write; asynchronous accesses are made by a unit
	Target
}

// Barrier is one that is passed, or arrived at.
type Barrier struct {
	Op      Op
	Number  int64 // of a named one; -1: not known
	Arrives bool
	Must    bool
}

// summaries are the effects of all functions, by where they start.
type summaries struct {
	c    *Kernel
	of   map[int32]*Effects
	busy map[int32]bool
}

var effectsOf = &pass[*summaries]{name: "effects", number: 9, needs: []Pass{controlFlow, loops, affine, points}, run: (*Kernel).summarize, print: (*Kernel).printEffects,
	doc: "what each function does with all that it calls: the memory it accesses, the barriers it passes (may, and must where all ways lead by them), the asynchronous operations it starts and waits for, and why it may not return (may)"}

// EffectsOf are those of the function that an instruction is in.
func (c *Kernel) EffectsOf(pc int32) *Effects { return effectsOf.of(c).of[c.FunctionOf(pc)[0]] }

func (c *Kernel) summarize() *summaries {
	s := &summaries{c, map[int32]*Effects{}, map[int32]bool{}}
	calls := map[int32][]int32{}
	for k := range c.Insts {
		if in := &c.Insts[k]; in.Op == Call {
			f := c.FunctionOf(int32(k))[0]
			calls[f] = append(calls[f], in.Target)
		}
	}
	var todo []int32
	for _, r := range c.Functions {
		todo = append(todo, r[0])
	}
	for len(todo) > 0 { // what is called comes first
		f := todo[len(todo)-1]
		if s.of[f] != nil {
			todo = todo[:len(todo)-1]
			continue
		}
		waits := slices.ContainsFunc(calls[f], func(g int32) bool { return s.of[g] == nil })
		if waits && !s.busy[f] {
			s.busy[f] = true
			for _, g := range calls[f] {
				if s.of[g] == nil {
					todo = append(todo, g)
				}
			}
			continue
		}
		s.of[f] = s.function(f) // what it calls and is not known calls it
	}
	return s
}

// function is one, from what is known of those that it calls.
func (s *summaries) function(f int32) *Effects {
	c, fl, e := s.c, s.c.Flow(), &Effects{}
	end := c.EndOf(f)
	for k := f; k <= end; k++ {
		b := fl.BlockOf(k)
		if !fl.Reached(b) {
			continue
		}
		in := &c.Insts[k]
		must := in.Guard < 0 && fl.Dominates(b, fl.BlockOf(end)) && fl.Reached(fl.BlockOf(end))
		e.instruction(c, k, must)
		if in.Op != Call {
			continue
		}
		g := s.of[in.Target]
		if g == nil {
			g = &Effects{Opaque: "a function that calls itself", Forever: "a function that calls itself"}
		}
		e.join(g, must)
	}
	loops, a := c.Loops(), c.Affine()
	for n, l := range loops {
		if start := fl.Start(l.Header); start >= f && start <= end && a.Rounds[n] < 0 && e.Forever == "" {
			e.Forever = fmt.Sprintf("the loop of b%d", l.Header)
		}
	}
	for b := fl.BlockOf(f); b <= fl.BlockOf(end) && e.Forever == ""; b++ {
		for _, to := range fl.next[b] {
			if _, told := a.headed[to]; fl.Reached(b) && to <= b && !(told && fl.Dominates(to, b)) { // a circle that is none of these
				e.Forever = fmt.Sprintf("a jump back to b%d", to)
			}
		}
	}
	return e
}

// instruction adds what one does itself.
func (e *Effects) instruction(c *Kernel, k int32, must bool) {
	in := &c.Insts[k]
	for _, t := range c.TargetsOf(k) {
		does := Access{Target: t, Async: in.Op == Async}
		does.Address, does.Stride = Form{}, 0
		switch {
		case in.Op == Atomic || in.Op.Does(Counts) && (in.Op != Async || t.Operand == 2) || in.Flags&Reduction != 0 && t.Operand == 0:
			does.Atomic = true
		case in.Op == Async:
			does.Writes, does.Reads = t.Operand == 0, t.Operand == 1
		case in.Op == Matrix:
			does.Writes, does.Reads = in.Flags&Write != 0, in.Flags&Write == 0
		default:
			does.Reads, does.Writes = in.Op.Does(Reads), in.Op.Does(Writes)
		}
		e.access(does)
	}
	switch in.Op {
	case BarrierCTA, BarrierWarp, BarrierCluster:
		b := Barrier{Op: in.Op, Must: must, Arrives: in.Flags&Arrives != 0}
		if in.Op == BarrierCTA {
			if b.Number = in.A.Imm; in.A.Reg >= 0 {
				b.Number = -1
			}
		}
		e.barrier(b)
	case Async:
		e.Starts = with(e.Starts, Unit(in.Mode))
	case TensorCopy, TensorMultiply, WarpgroupMultiply: // descriptors say where it reads
		unit := TensorCore
		if in.Op == WarpgroupMultiply {
			unit = Wgmma
		}
		e.Starts, e.Tensor = with(e.Starts, unit), e.Tensor || unit == TensorCore
		e.access(Access{Reads: true, Async: true, Target: Target{Space: Shared, Shared: true}})
	case TensorLoad:
		e.Starts, e.Tensor = with(e.Starts, TensorLoads), true
	case TensorStore:
		e.Starts, e.Tensor = with(e.Starts, TensorStores), true
	case GroupWait:
		e.WaitsFor = with(e.WaitsFor, Unit(in.Mode))
	case MbarTest:
		e.Mbarriers = true
	case Exit:
		if e.Forever == "" {
			e.Forever = "its threads may end in it"
		}
	case Outside, Stop:
		if e.Opaque == "" {
			e.Opaque = c.Places[in.Place].Name
		}
		if in.Op == Stop && e.Forever == "" {
			e.Forever = e.Opaque
		}
	}
}

// join adds what a function does that is called.
func (e *Effects) join(g *Effects, must bool) {
	for _, a := range g.Accesses {
		e.access(a)
	}
	for _, b := range g.Barriers {
		b.Must = b.Must && must
		e.barrier(b)
	}
	for _, u := range g.Starts {
		e.Starts = with(e.Starts, u)
	}
	for _, u := range g.WaitsFor {
		e.WaitsFor = with(e.WaitsFor, u)
	}
	e.Tensor, e.Mbarriers = e.Tensor || g.Tensor, e.Mbarriers || g.Mbarriers
	if e.Opaque == "" {
		e.Opaque = g.Opaque
	}
	if e.Forever == "" {
		e.Forever = g.Forever
	}
}

func with(list []Unit, u Unit) []Unit {
	if !slices.Contains(list, u) {
		list = append(list, u)
	}
	return list
}

// barrier adds one; that one of two places is passed for sure is enough.
func (e *Effects) barrier(b Barrier) {
	for k := range e.Barriers {
		if o := &e.Barriers[k]; o.Op == b.Op && o.Number == b.Number && o.Arrives == b.Arrives {
			o.Must = o.Must || b.Must
			return
		}
	}
	e.Barriers = append(e.Barriers, b)
}

// maxAccesses bounds the accesses of a function that are told apart; beyond it those of a space are one.
const maxAccesses = 64

// access adds one to what is done alike, in a range that is that of both.
func (e *Effects) access(a Access) {
	for k := range e.Accesses {
		b := &e.Accesses[k]
		one := a.Reads == b.Reads && a.Writes == b.Writes && a.Atomic == b.Atomic && a.Async == b.Async && a.Space == b.Space && a.Target.Shared == b.Target.Shared
		if !one || (a.Buffer != b.Buffer || !slices.Equal(a.Objects, b.Objects)) && len(e.Accesses) < maxAccesses {
			continue
		}
		if a.Buffer != b.Buffer || !a.Ranged || !b.Ranged {
			b.Ranged, b.Low, b.High = false, 0, 0
		} else {
			b.Low, b.High = min(a.Low, b.Low), max(a.High, b.High)
		}
		if a.Buffer != b.Buffer {
			b.Buffer, b.buffer = "", 0
		}
		for _, v := range a.Objects {
			if !slices.Contains(b.Objects, v) {
				b.Objects = append(slices.Clip(b.Objects), v)
			}
		}
		return
	}
	e.Accesses = append(e.Accesses, a)
}

func (c *Kernel) printEffects(s *summaries) string {
	var out strings.Builder
	for n, r := range c.Functions {
		e := s.of[r[0]]
		fmt.Fprintf(&out, "%s:\n", c.Called[n])
		for _, a := range e.Accesses {
			word := map[[3]bool]string{{true, false, false}: "reads", {false, true, false}: "writes", {true, true, false}: "reads and writes", {false, false, true}: "atomics on"}[[3]bool{a.Reads, a.Writes, a.Atomic}]
			if a.Async {
				word = "asynchronously " + word
			}
			fmt.Fprintf(&out, "  may: %s %s\n", word, a.Text())
		}
		for _, b := range e.Barriers {
			word, number := "passes", ""
			if b.Arrives {
				word = "arrives at"
			}
			if b.Op == BarrierCTA {
				number = fmt.Sprintf(" %d", b.Number)
			}
			fmt.Fprintf(&out, "  %s: %s %s%s\n", map[bool]string{true: "must", false: "may"}[b.Must], word, b.Op, number)
		}
		for _, u := range e.Starts {
			fmt.Fprintf(&out, "  may: starts operations of %s\n", units[u])
		}
		for _, u := range e.WaitsFor {
			fmt.Fprintf(&out, "  may: waits for %s\n", units[u])
		}
		if e.Tensor {
			out.WriteString("  may: accesses tensor memory\n")
		}
		if e.Mbarriers {
			out.WriteString("  may: waits for mbarriers\n")
		}
		if e.Opaque != "" {
			fmt.Fprintf(&out, "  may: anything, for %s\n", e.Opaque)
		}
		if e.Forever != "" {
			fmt.Fprintf(&out, "  may: not return, for %s\n", e.Forever)
		}
	}
	return out.String()
}
