package interval

import (
	"slices"

	"github.com/fencepost-dev/fencepost/ir"
)

// known is a number, if it is one.
type known struct {
	n  int64
	ok bool
}

// walker is a thread on its way through an interval.
type walker struct {
	*interval
	thread int
	at     ir.Position
	set    map[int32]known   // values that were set on the way
	before map[earlier]known // and what those were that were set before
	turns  map[int]int       // loops → rounds that were begun on the way
	steps  int
	meets  int32
	budget int // of one value
}

// earlier is a value as it was in a round of the loops around the start.
type earlier struct {
	value int32
	round int
}

// run walks the interval; false: the thread accesses what is no part of an array, which the numbers are not meant for.
func (w *walker) run() bool {
	pc, from := w.start+1, int32(-1)
	if w.start < 0 {
		pc = w.k.Functions[0][0]
	} else {
		from = w.fl.BlockOf(w.start)
	}
	for ; w.steps < maxSteps; w.steps++ {
		if w.work--; w.work < 0 || int(pc) >= len(w.k.Insts) {
			return true
		}
		b := w.fl.BlockOf(pc)
		if pc == w.fl.Start(b) && from >= 0 && !w.enter(from, b) {
			return true
		}
		from = b
		in := &w.k.Insts[pc]
		guard := known{1, true}
		if in.Guard >= 0 {
			guard = w.predicate(pc, ir.Operand{Reg: in.Guard, Not: in.GuardNot})
		}
		switch {
		case in.Op == ir.Exit && in.Mode != 0:
			return !guard.ok || guard.n == 0
		case in.Op == ir.Branch:
			if !guard.ok {
				guard = known{w.choose(pc, in), true}
			}
			if pc++; guard.n != 0 {
				pc = in.Target
			}
			continue
		case in.Op.Branches():
			if in.Op == ir.Exit && (!guard.ok || guard.n == 0) {
				break
			}
			return true
		case ends(in):
			return true
		case guard.ok && guard.n == 0:
		case in.Op == ir.BarrierWarp, in.Flags&ir.Meets != 0, in.Op == ir.Rendezvous:
			w.meets++
		default:
			if guard.ok && !w.access(pc, in) {
				return false
			}
		}
		w.assign(pc, in, guard)
		pc++
	}
	return true
}

// enter comes to a block: what is merged there is as it is on the way that is gone. false: a loop has gone round often enough.
func (w *walker) enter(from, b int32) bool {
	if n, is := w.header[b]; is {
		if w.loops[n].Has(from) {
			if w.turns[n]++; w.turns[n] > maxTurns {
				return false
			}
		} else {
			w.turns[n] = 0
		}
	}
	way := slices.Index(w.fl.Before(b), from)
	if way < 0 {
		return true
	}
	merged := w.s.MergedAt(b)
	values := make([]known, len(merged))
	for k, m := range merged {
		if f := w.s.Values[m].From; way < len(f) && f[way] >= 0 {
			values[k] = w.value(f[way])
		}
	}
	for k, m := range merged {
		w.set[m] = values[k]
	}
	return true
}

// choose is which way an open branch goes: the same for all threads. A loop that may go round does so once.
func (w *walker) choose(pc int32, in *ir.Inst) int64 {
	p := w.s.Read(pc, ir.Operand{Reg: in.Guard}, ir.Predicate)
	w.open[p] = true
	if w.k.Leaves(pc) {
		stays := int64(0)
		if w.k.Stays(pc) {
			stays = 1
		}
		n := -1
		for k, l := range w.loops {
			if l.Has(w.fl.BlockOf(pc)) {
				n = k
			}
		}
		if w.turns[n] > w.way {
			stays = 1 - stays
		}
		return stays
	}
	return int64(w.way)
}

// assign sets the results of an instruction.
func (w *walker) assign(pc int32, in *ir.Inst, guard known) {
	registers, predicates := in.Results()
	for n, r := range append(registers, shifted(predicates, w.k.Registers)...) {
		v := w.s.Result(pc, r)
		if v <= 0 {
			continue
		}
		switch {
		case !guard.ok:
			w.set[v] = known{}
		case guard.n == 0:
			w.set[v] = known{}
			if from := w.s.Values[v].From; len(from) == 1 && from[0] >= 0 {
				w.set[v] = w.value(from[0])
			}
		default:
			w.set[v] = w.result(pc, in, n, v, w.operand)
		}
	}
}

func shifted(list []int32, by int) []int32 {
	for k := range list {
		list[k] += int32(by)
	}
	return list
}

// operand is what an instruction reads.
func (w *walker) operand(pc int32, o ir.Operand, bank ir.Bank) known {
	if o.Reg < 0 {
		return known{o.Imm, o != ir.None}
	}
	v := w.value(w.s.Read(pc, o, bank))
	if bank == ir.Predicate && o.Not {
		v.n = 1 - v.n
	}
	return v
}

func (w *walker) predicate(pc int32, o ir.Operand) known { return w.operand(pc, o, ir.Predicate) }

// value is a value that was set on the way, or else before.
func (w *walker) value(n int32) known {
	if v, is := w.set[n]; is {
		return v
	}
	w.budget = 4096
	return w.earlier(n, w.round, 0)
}

// result is what an instruction makes of its operands; what it makes of memory, and of other lanes, is open.
func (w *walker) result(pc int32, in *ir.Inst, n int, v int32, read func(int32, ir.Operand, ir.Bank) known) known {
	switch {
	case in.Op == ir.Setp && !in.Type.Data:
		a, b := read(pc, in.A, ir.Register), read(pc, in.B, ir.Register)
		if !a.ok || !b.ok {
			return w.left(v)
		}
		is := in.Type.Holds(in.Mode, in.Type.Bring(a.n), in.Type.Bring(b.n)) != (w.s.Values[v].Of != int32(w.k.Registers)+in.D)
		if in.Join != 0 {
			c := read(pc, in.C, ir.Predicate)
			return joined(in.Join, truth(is), c)
		}
		return truth(is)
	case in.Op == ir.Logic:
		return joined(in.Mode, read(pc, in.A, ir.Predicate), read(pc, in.B, ir.Predicate))
	case in.Op == ir.Select:
		c, a, b := read(pc, in.C, ir.Predicate), read(pc, in.A, ir.Register), read(pc, in.B, ir.Register)
		switch {
		case c.ok && c.n != 0, a == b:
			return a
		case c.ok:
			return b
		}
		return w.left(v)
	case in.Op.Does(ir.Integer) && n == 0:
		var of [4]known
		for k, o := range [3]ir.Operand{in.A, in.B, in.C} {
			if o != ir.None {
				if of[k] = read(pc, o, ir.Register); !of[k].ok {
					return w.left(v)
				}
			}
		}
		if in.Extra != nil && len(in.Extra.Operands) > 0 {
			if of[3] = read(pc, in.Extra.Operands[0], ir.Register); !of[3].ok {
				return w.left(v)
			}
		}
		r, ok := in.Compute(of[0].n, of[1].n, of[2].n, of[3].n)
		return known{r, ok}
	}
	return w.left(v)
}

func truth(is bool) known {
	if is {
		return known{1, true}
	}
	return known{0, true}
}

func joined(how uint8, a, b known) known {
	switch how {
	case ir.JoinAnd:
		return known{a.n & b.n & 1, a.ok && b.ok || a.ok && a.n == 0 || b.ok && b.n == 0}
	case ir.JoinOr:
		return known{(a.n | b.n) & 1, a.ok && b.ok || a.ok && a.n != 0 || b.ok && b.n != 0}
	case ir.JoinXor:
		return known{(a.n ^ b.n) & 1, a.ok && b.ok}
	case ir.JoinNot:
		return known{1 - a.n, a.ok}
	}
	return a
}

// access notes an access of shared memory; false: it is of no part of an array.
func (w *walker) access(pc int32, in *ir.Inst) bool {
	switch in.Op {
	case ir.Load, ir.Store, ir.Atomic, ir.Matrix:
		if in.Order == ir.Volatile || in.Order != ir.Weak && in.Op != ir.Atomic {
			return true
		}
		what, value := reads, known{}
		switch {
		case in.Op == ir.Atomic:
			what = atomics
		case in.Op == ir.Store:
			what, value = writes, w.operand(pc, in.B, ir.Register)
		case in.Flags&ir.Write != 0:
			what = writes
		}
		if in.Op == ir.Matrix && w.thread%ir.Lanes >= int(in.Mode)*8 && in.Mode > 0 {
			return true // the first lanes give the addresses
		}
		return w.note(pc, in.Space, in.A, in.Offset, int64(in.Size), what, value)
	case ir.Async:
		if ir.Unit(in.Mode) == ir.CpAsync && in.Flags&ir.ToShared != 0 && len(in.Extra.Operands) > 0 {
			size := w.operand(pc, in.B, ir.Register)
			return !size.ok || w.note(pc, ir.Shared, in.Extra.Operands[0], in.Extra.Offsets[0], size.n, writes, known{})
		}
	}
	return true
}

func (w *walker) note(pc int32, space ir.Space, o ir.Operand, offset, size int64, what access, value known) bool {
	if space != ir.Shared && space != ir.Generic || size <= 0 {
		return true
	}
	at := w.operand(pc, o, ir.Register)
	if !at.ok {
		return true
	}
	n := at.n + offset
	if space == ir.Generic {
		if n>>ir.WindowBits != ir.SharedWindow>>ir.WindowBits {
			return true
		}
		n -= ir.SharedWindow
	}
	if n = int64(uint32(n)); n >= 1<<ir.RankBits { // of another CTA
		return true
	}
	v := w.variable(n)
	if v == nil || v.Size >= 0 && n+size > v.At+v.Size {
		return false
	}
	w.sites = append(w.sites, site{n, size, pc, int32(w.thread), int32(w.steps), w.meets, what, value})
	return true
}
