package exec

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/irtest"
)

// shadow executes beside the machine, lane by lane, and remembers what passes speak of: who has set each register last, what each value is,
// and how often loops have gone back.
type shadow struct {
	k     *ir.Kernel
	s     *ir.SSA
	a     *ir.Affine
	begin map[int32][]int32 // instruction → values that it begins with
	set   [][]int32         // value → what may have set it; -1: the launch
	lanes map[*warp]*[ir.Lanes]*lane
	why   string
	told  shadowed
}

// shadowed counts what was compared.
type shadowed struct{ reads, one, forms, exact, rounds, shared, buffers, barriers, returns int }

type lane struct {
	variables []content
	writer    []int32 // -1: none
	values    map[int32]content
	rounds    []int64
	prev      int32           // -1: none
	last      map[int32]int32 // function → the instruction that it has executed last in it
	calls     []int32
	passed    []map[int64]bool // by call, and of the kernel: the barriers
	behind    int32            // the call that it comes back from, or was not part of; -1: none
}

type content struct {
	n     int64
	known bool
}

func newShadow(c *ir.Kernel) *shadow {
	h := &shadow{k: c, s: c.SSA(), a: c.Affine(), begin: map[int32][]int32{}, lanes: map[*warp]*[ir.Lanes]*lane{}}
	for n, v := range h.s.Values {
		set, given := h.s.Reaching(int32(n))
		if given {
			set = append(set, -1)
		}
		h.set = append(h.set, set)
		if v.Kind == ir.Merged || v.Kind == ir.Called {
			h.begin[v.At] = append(h.begin[v.At], int32(n))
		}
	}
	return h
}

// start is before the first instruction of a warp.
func (h *shadow) start(w *warp) {
	h.lanes[w] = &[ir.Lanes]*lane{}
	for l := range ir.Lanes {
		t := &lane{values: map[int32]content{}, rounds: make([]int64, len(h.k.Loops())), prev: -1, last: map[int32]int32{}, passed: []map[int64]bool{{}}, behind: -1}
		h.lanes[w][l] = t
		for v := range h.k.Registers + h.k.Predicates {
			t.variables, t.writer = append(t.variables, h.content(w, l, v)), append(t.writer, -1)
		}
		for n, v := range h.s.Values {
			if v.Kind == ir.Given {
				t.values[int32(n)] = t.variables[v.Of]
			}
		}
	}
}

func (h *shadow) content(w *warp, l, variable int) content {
	if variable < h.k.Registers {
		sym, n := w.registers[variable].lane(l)
		t := h.k.Types[variable]
		return content{t.Store(n), sym == known}
	}
	p := w.predicates[variable-h.k.Registers]
	return content{int64(p.bits >> l & 1), p.open>>l&1 == 0}
}

// step is behind each instruction.
func (h *shadow) step(w *warp, pc int32, mask uint32) {
	if ends := h.k.EffectsOf(0).Forever == ""; w.steps > 4000 || w.steps > 500 && !ends {
		w.m.mostSteps = 1
		if ends && h.why == "" {
			h.why = "the kernel is said to return"
		}
		return
	}
	for l := range ir.Lanes {
		if mask>>l&1 != 0 && h.why == "" {
			h.enter(h.lanes[w][l], pc)
			h.compare(h.lanes[w][l], pc, fmt.Sprintf("instruction %d, warp %d, lane %d: ", pc, w.index, l))
			h.leave(w, h.lanes[w][l], l, pc)
		}
	}
}

// enter counts rounds, and notes the values that begin at an instruction.
func (h *shadow) enter(t *lane, pc int32) {
	fl, f := h.k.Flow(), h.k.FunctionOf(pc)[0]
	if b := fl.BlockOf(pc); fl.Start(b) == pc && t.behind < 0 {
		for n, l := range h.k.Loops() {
			if last, met := t.last[f]; l.Header != b {
			} else if met && l.Has(fl.BlockOf(last)) && (pc != f || t.prev >= f) {
				t.rounds[n]++
			} else {
				t.rounds[n] = 0
			}
		}
	}
	for _, n := range h.begin[pc] {
		if h.k.Insts[pc].Op != ir.Call || h.s.Values[n].Kind == ir.Merged || pc == f && t.prev != pc {
			t.values[n] = t.variables[h.s.Values[n].Of]
		}
	}
	if t.behind >= 0 {
		for _, n := range h.begin[t.behind] {
			if h.s.Values[n].Kind == ir.Called {
				t.values[n] = t.variables[h.s.Values[n].Of]
			}
		}
	}
	t.last[f], t.behind, t.prev = pc, -1, pc
}

// compare holds what passes say of what an instruction reads against what that is.
func (h *shadow) compare(t *lane, pc int32, at string) {
	in := &h.k.Insts[pc]
	registers, predicates := in.OperandsOf()
	if in.Guard >= 0 {
		predicates = append(predicates, in.Guard)
	}
	one := func(variable int32, n int32) {
		h.told.reads++
		if set := h.set[n]; t.writer[variable] > -2 && !slices.Contains(set, t.writer[variable]) {
			h.why = fmt.Sprintf("%sit reads %s, which is said to be set by %v; it was %d", at, h.s.Name(n), set, t.writer[variable])
		} else if len(set) == 1 {
			h.told.one++
		}
		v, is := t.variables[variable], t.values[n]
		if v.known && (!is.known || is.n != v.n) {
			h.why = fmt.Sprintf("%sit reads %s, which is %v; %v", at, h.s.Name(n), is, v)
		}
		if int(variable) >= h.k.Registers || !v.known {
			return
		}
		f := h.a.Forms[n]
		if v.n < f.Low || v.n > f.High {
			h.why = fmt.Sprintf("%s%s is said to be from %d to %d; it is %d", at, h.s.Name(n), f.Low, f.High, v.n)
		}
		sum := f.Const
		for _, term := range f.Terms {
			if term.Atom < 0 {
				sum += term.By * t.rounds[-1-term.Atom]
				h.told.rounds++
			} else if !t.values[term.Atom].known {
				return
			} else {
				sum += term.By * t.values[term.Atom].n
			}
		}
		if shift := 64 - f.Bits; (sum-v.n)<<shift != 0 {
			h.why = fmt.Sprintf("%s%s is said to be %s; that is %d, it is %d", at, h.s.Name(n), h.a.Text(&f), sum, v.n)
		}
		if len(f.Terms) != 1 || f.Terms[0] != (ir.Term{Atom: n, By: 1}) {
			h.told.forms++
			if f.Bits == 64 {
				h.told.exact++
			}
		}
	}
	for _, r := range registers {
		one(r, h.s.Read(pc, ir.Operand{Reg: r}, ir.Register))
	}
	for _, p := range predicates {
		one(int32(h.k.Registers)+p, h.s.Read(pc, ir.Operand{Reg: p}, ir.Predicate))
	}
	h.access(t, pc, at)
	for n := range h.k.Loops() {
		if most := h.a.Rounds[n]; most >= 0 && t.rounds[n] > most {
			h.why = fmt.Sprintf("%sloop %d is said to go back %d times at most; it has %d times", at, n, most, t.rounds[n])
		}
	}
}

// access holds the address of an access against where that is said to be.
func (h *shadow) access(t *lane, pc int32, at string) {
	in := &h.k.Insts[pc]
	if !in.Op.Accesses() || in.Guard >= 0 && t.variables[h.k.Registers+int(in.Guard)].n != 0 == in.GuardNot {
		return
	}
	for _, target := range h.k.TargetsOf(pc) {
		v := content{in.A.Imm, true}
		if in.A.Reg >= 0 {
			v = t.variables[in.A.Reg]
		}
		v.n += in.Offset
		window := v.n >> ir.WindowBits << ir.WindowBits
		if in.Space == ir.Generic && window == ir.SharedWindow && target.Space != ir.Shared && !target.Shared || target.Space == ir.Shared && in.Space == ir.Generic && window != ir.SharedWindow {
			h.why = fmt.Sprintf("%sthe address %#x is said to be %s", at, v.n, target.Text())
		}
		if target.Space == ir.Shared && in.Space == ir.Generic {
			v.n -= window
		}
		if target.Buffer != "" {
			start := t.variables[slices.Index(h.k.Names, target.Buffer)]
			v.n -= start.n
			h.told.buffers++
		} else if target.Ranged {
			h.told.shared++
		}
		h.covered(t, in, target, v, at)
		if target.Ranged && v.known && (v.n < target.Low || v.n+int64(in.Size) > target.High) {
			h.why = fmt.Sprintf("%sthe address %#x (%d) is said to be %s", at, v.n, v.n, target.Text())
		}
	}
}

// covered looks for an access among the effects of the functions that it is made in.
func (h *shadow) covered(t *lane, in *ir.Inst, target ir.Target, v content, at string) {
	for _, pc := range append([]int32{t.prev}, t.calls...) {
		if !slices.ContainsFunc(h.k.EffectsOf(pc).Accesses, func(a ir.Access) bool {
			whole := !a.Ranged || v.n >= a.Low && v.n+int64(in.Size) <= a.High && a.Buffer == target.Buffer
			return a.Writes && !a.Reads && !a.Atomic && a.Space == target.Space && (a.Buffer == "" || a.Buffer == target.Buffer) && (whole || !v.known)
		}) {
			h.why = fmt.Sprintf("%sthe access of %#x is not among the effects of the function of %d", at, v.n, pc)
		}
	}
}

// returns holds the barriers that a lane has passed in a function against those that it must.
func (h *shadow) returns(t *lane, pc int32) {
	e, passed := h.k.EffectsOf(pc), t.passed[len(t.passed)-1]
	for _, b := range e.Barriers {
		if h.told.barriers++; b.Must && !passed[b.Number] {
			h.why = fmt.Sprintf("the function of %d is said to pass barrier %d in any case; it has passed %v", pc, b.Number, passed)
		}
	}
	for n := range passed {
		if !slices.ContainsFunc(e.Barriers, func(b ir.Barrier) bool { return b.Number == n }) {
			h.why = fmt.Sprintf("the function of %d has passed barrier %d, which is not among its effects", pc, n)
		}
	}
	t.passed = t.passed[:len(t.passed)-1]
	if len(t.passed) > 0 {
		for n := range passed {
			t.passed[len(t.passed)-1][n] = true
		}
	}
}

// leave notes what an instruction has set.
func (h *shadow) leave(w *warp, t *lane, l int, pc int32) {
	in := &h.k.Insts[pc]
	does, sure := true, true
	if in.Guard >= 0 {
		g := t.variables[h.k.Registers+int(in.Guard)]
		does, sure = g.n != 0 != in.GuardNot, g.known
	}
	registers, predicates := in.Results()
	for k, v := range append(registers, predicates...) {
		if k >= len(registers) {
			v += int32(h.k.Registers)
		}
		t.variables[v] = h.content(w, l, int(v))
		if !sure {
			t.writer[v] = -2
		} else if does {
			t.writer[v] = pc
		}
		if n := h.s.Result(pc, v); n > 0 {
			t.values[n] = t.variables[v]
		}
	}
	switch {
	case in.Op == ir.Call && does:
		t.calls, t.passed = append(t.calls, pc), append(t.passed, map[int64]bool{})
	case in.Op == ir.BarrierCTA && does:
		t.passed[len(t.passed)-1][in.A.Imm] = true
	case in.Op == ir.Call:
		t.behind = pc
	case in.Op == ir.Return && does && pc == h.k.EndOf(pc) && len(t.calls) == 0:
		h.returns(t, pc)
	case in.Op == ir.Return && does && pc == h.k.EndOf(pc):
		h.returns(t, pc)
		t.behind, t.calls = t.calls[len(t.calls)-1], t.calls[:len(t.calls)-1]
	}
}

// TestValuesAreSound executes random kernels: each register has been set last by an instruction that the pass names, and holds what its form says.
func TestValuesAreSound(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	var told shadowed
	for range 800 {
		text := irtest.Accessing(r)
		k, err := ir.Parse("k.ir", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		c := k.Reduced(true)
		m := newMachine(c, Launch{Block: [3]int{80, 1, 1}, Cluster: [3]int{1, 1, 1}, Grid: [3]int{4, 1, 1}, CTA: &[3]int{2, 0, 0}, Params: map[string]int64{"n": 3, "q": 1 << 44}})
		m.populate()
		h := newShadow(c)
		h.told = told
		m.watch = h.step
		for _, w := range m.warps {
			h.start(w)
			w.run()
		}
		if h.k.EffectsOf(0).Forever == "" {
			h.told.returns++
		}
		if told = h.told; h.why != "" {
			t.Fatalf("%s\n%s\n%s", h.why, c, text)
		}
	}
	t.Logf("%+v", told)
}
