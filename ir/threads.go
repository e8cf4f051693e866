package ir

import "slices"

// ThreadUse is what a kernel's constants say of how many threads a CTA has, along x, y and z and all together. It is what the author
// seems to have had in mind: whoever does not know the launch may take it as a premise, and for nothing else.
type ThreadUse struct {
	Beyond   [4]int   // there are more threads than this: it compares their numbers with it
	Multiple [4][]int // it divides their numbers by these
	Extent   [4][]int // it goes on by these from each thread's number to the next it does
	Counts   []int    // threads or arrivals that barriers take, or that their number is compared with
	Pitch    int      // it numbers threads by x + y * Pitch, with a constant, and tells warps apart by that: a row has no more of them; 0: it does not
	Said     int      // there are as many along x, where all premises that say a number say this one; 0: none does, or they do not agree
}

// linear is the last of the axes: x + y * ntid.x.
const linear = 3

// ofThread is a value that is made of a thread's number along an axis: (number*times + plus) / by.
type ofThread struct {
	axis            int
	times, plus, by int64
	rows            bool // times ntid.x
}

// Threads is the kernel's use of its threads' numbers.
func (c *Kernel) Threads() *ThreadUse {
	u := &ThreadUse{}
	t := &threads{c, map[int32]*ofThread{}}
	d := definitions.of(c)
	bounds := map[int64]bool{} // of loops: which threads begin one says nothing
	for k := range c.Insts {
		if in := &c.Insts[k]; in.Op == Setp && in.A.Reg >= 0 && in.B.Reg == -1 && len(d.registers[in.A.Reg]) > 1 {
			bounds[in.B.Imm] = true
		}
	}
	u.Said = t.said()
	for k := range c.Insts {
		in := &c.Insts[k]
		switch in.Op {
		case BarrierCTA, MbarInit:
			if in.B.Reg == -1 && in.B.Imm > 1 && in.B.Imm <= MaxThreads {
				u.Counts = append(u.Counts, int(in.B.Imm))
			}
			if in.Op == BarrierCTA && in.B.Reg == -1 && in.B.Imm <= MaxThreads {
				u.Beyond[linear] = max(u.Beyond[linear], int(in.B.Imm)-1)
			}
		case Setp:
			if in.B.Reg == -1 && in.B.Imm > 1 && in.B.Imm <= MaxThreads && (in.Mode == Equal || in.Mode == NotEqual) && t.isExtent(in.A) {
				u.Counts = append(u.Counts, int(in.B.Imm))
			}
			if f, ok := t.of(in.A, 0); ok && in.B.Reg == -1 && in.B.Imm > 0 && !bounds[in.B.Imm] && !f.rows {
				if n := (in.B.Imm*f.by - f.plus) / f.times; n > 0 && n < MaxThreads {
					u.Beyond[f.axis] = max(u.Beyond[f.axis], int(n))
				}
			}
		case Add:
			u.Extent[0] = append(u.Extent[0], t.strides(k, 0)...)
			u.Extent[1] = append(u.Extent[1], t.strides(k, 1)...)
			u.Extent[linear] = append(u.Extent[linear], t.strides(k, linear)...)
		case And, Rem, Shr, Div:
			f, ok := t.of(in.A, 0)
			if n := t.pitch(in.A); n > 0 && divisor(in) == Lanes && (u.Pitch == 0 || n < u.Pitch) {
				u.Pitch = n
			}
			if n := divisor(in); ok && n > 1 && f.times == 1 && f.plus == 0 && n*f.by <= MaxThreads {
				axis := f.axis
				if f.rows { // of whole rows it is a number of threads
					axis = linear
				}
				u.Multiple[axis] = append(u.Multiple[axis], int(n*f.by))
			}
		}
	}
	for axis := range u.Multiple {
		for _, list := range []*[]int{&u.Multiple[axis], &u.Extent[axis], &u.Counts} {
			slices.Sort(*list)
			*list = slices.Compact(*list)
		}
	}
	return u
}

// pitch is the constant by which a number along y is multiplied where that along x is added to it; 0: an operand is no such sum.
func (t *threads) pitch(o Operand) int {
	d := definitions.of(t.kernel).registers
	for o.Reg >= 0 && len(d[o.Reg]) == 1 {
		in := &t.kernel.Insts[d[o.Reg][0]]
		x, y := in.A, in.B
		switch in.Op {
		case Move, Convert:
			o = in.A
			continue
		case Mad:
			if x = in.C; in.B.Reg != -1 {
				return 0
			}
			y = in.A
		case Add:
			if f, ok := t.of(x, 0); !ok || f.axis != 0 {
				x, y = y, x
			}
		default:
			return 0
		}
		f, first := t.of(x, 0)
		g, second := t.of(y, 0)
		if in.Op == Mad {
			g.times *= in.B.Imm
		}
		if !first || !second || f != (ofThread{axis: 0, times: 1, by: 1}) || g.axis != 1 || g.plus != 0 || g.by != 1 || g.rows || g.times < 2 || g.times > MaxThreads {
			return 0
		}
		return int(g.times)
	}
	return 0
}

// Rolled takes half of what loops go on by for the extents, as if each had two rounds for one; it reports whether there were any.
func (u *ThreadUse) Rolled() bool {
	any := false
	for axis, all := range u.Extent {
		for k, n := range all {
			if n%2 == 0 {
				u.Extent[axis][k], any = n/2, true
			}
		}
	}
	return any
}

// said is how many threads along x the kernel's premises say there are: with another number it traps. 0: they say nothing, or not the same.
func (t *threads) said() (n int) {
	c := t.kernel
	d := definitions.of(c)
	for k := range c.Insts {
		in := &c.Insts[k]
		if in.Op != Branch || in.Guard < 0 || k+1 >= len(c.Insts) {
			continue
		}
		trapped := func(at int32) bool { return c.Insts[at].Traps() && c.Insts[at].Guard < 0 }
		tests := d.predicates[in.Guard]
		if len(tests) != 1 {
			continue
		}
		test := &c.Insts[tests[0]]
		if test.Op != Setp || test.B.Reg != -1 || test.Join != 0 || !t.isExtent(test.A) {
			continue
		}
		holds := !in.GuardNot // the predicate, where the branch is taken
		equal := test.Mode == Equal && test.D == in.Guard || test.Mode == NotEqual && test.D != in.Guard
		if differs := !equal && (test.Mode == Equal || test.Mode == NotEqual); !equal && !differs || trapped(int32(k)+1) == trapped(in.Target) || trapped(int32(k)+1) != (holds == equal) {
			continue
		}
		if n != 0 && n != int(test.B.Imm) {
			return 0
		}
		n = int(test.B.Imm)
	}
	return n
}

// isExtent reports whether an operand is the number of threads along x.
func (t *threads) isExtent(o Operand) bool {
	special, read := t.kernel.Special["%ntid.x"]
	if d := definitions.of(t.kernel); read && o.Reg >= 0 && o.Reg != special && len(d.registers[o.Reg]) == 1 {
		in := &t.kernel.Insts[d.registers[o.Reg][0]]
		return in.Op == Move && in.A.Reg == special
	}
	return read && o.Reg == special
}

// MaxThreads is how many threads a CTA has at most on a GPU (CUDA C++ Programming Guide, compute capabilities).
const MaxThreads = 1024

// divisor is what an instruction splits the numbers of threads by: / and %, shifts and masks; 0: it does not.
func divisor(in *Inst) int64 {
	n := in.B.Imm
	switch {
	case in.B.Reg != -1 || n <= 0:
		return 0
	case in.Op == Shr:
		if n > 10 {
			return 0
		}
		return 1 << n
	case in.Op == And && n&(n+1) == 0:
		return n + 1
	case in.Op == And:
		return n & -n
	}
	return n
}

// strides is what a counter that is compared with something goes on by, in threads, where it begins with the number of its thread.
func (t *threads) strides(k, axis int) []int {
	c := t.kernel
	in := &c.Insts[k]
	if in.D < 0 || in.A.Reg != in.D || in.B.Reg != -1 || in.B.Imm <= 0 {
		return nil
	}
	var begin ofThread
	for _, d := range definitions.of(c).registers[in.D] {
		if d == int32(k) {
			continue
		}
		f, ok := t.madeOf(&c.Insts[d], 0)
		if !ok || f.axis != axis || f.by != 1 {
			return nil
		}
		begin = f
	}
	if begin.times == 0 || in.B.Imm%begin.times != 0 || in.B.Imm/begin.times > MaxThreads || in.B.Imm == begin.times { // to the next thread's
		return nil
	}
	for j := range c.Insts {
		if test := &c.Insts[j]; test.Op == Setp && (test.A.Reg == in.D || test.B.Reg == in.D) {
			return []int{int(in.B.Imm / begin.times)}
		}
	}
	return nil
}

// threads follows the numbers of threads through a kernel.
type threads struct {
	kernel *Kernel
	known  map[int32]*ofThread // by register; nil: it is made of something else
}

// of says how an operand is made of a thread's number, where one instruction sets it.
func (t *threads) of(o Operand, depth int) (f ofThread, ok bool) {
	if o.Reg < 0 || depth > maxConstant {
		return f, false
	}
	if known, met := t.known[o.Reg]; met {
		if known == nil {
			return f, false
		}
		return *known, true
	}
	t.known[o.Reg] = nil
	for axis, name := range []string{"%tid.x", "%tid.y", "%tid.z"} {
		if r, read := t.kernel.Special[name]; read && r == o.Reg {
			f, ok = ofThread{axis: axis, times: 1, by: 1}, true
		}
	}
	if d := definitions.of(t.kernel).registers[o.Reg]; !ok && len(d) == 1 {
		f, ok = t.madeOf(&t.kernel.Insts[d[0]], depth)
	}
	if ok {
		t.known[o.Reg] = &f
	}
	return f, ok
}

// madeOf is that of what an instruction sets.
func (t *threads) madeOf(in *Inst, depth int) (f ofThread, ok bool) {
	if in.Guard >= 0 || !in.Op.Does(Integer) {
		return f, false
	}
	f, ok = t.of(in.A, depth+1)
	g, second := t.of(in.B, depth+1)
	row, read := t.kernel.Special["%ntid.x"]
	isRow := func(o Operand) bool { return read && o.Reg == row }
	switch n := in.B.Imm; in.Op {
	case Move, Convert:
		return f, ok
	case Mad:
		if h, third := t.of(in.C, depth+1); third && h == (ofThread{axis: 0, times: 1, by: 1}) {
			if ok && isRow(in.B) && f == (ofThread{axis: 1, times: 1, by: 1}) || second && isRow(in.A) && g == (ofThread{axis: 1, times: 1, by: 1}) {
				return ofThread{axis: linear, times: 1, by: 1}, true
			}
		}
	case Mul:
		if ok && isRow(in.B) && f == (ofThread{axis: 1, times: 1, by: 1}) || second && isRow(in.A) && g == (ofThread{axis: 1, times: 1, by: 1}) {
			return ofThread{axis: 1, times: 1, by: 1, rows: true}, true
		}
		f.times, f.plus = f.times*n, f.plus*n
		return f, ok && in.B.Reg == -1 && n > 0 && n < MaxThreads && f.by == 1 && !f.rows
	case Shl:
		if n < 0 || n > 10 {
			return f, false
		}
		f.times, f.plus = f.times<<n, f.plus<<n
		return f, ok && in.B.Reg == -1 && f.by == 1 && !f.rows
	case Add:
		if ok && second && (f.rows && g == (ofThread{axis: 0, times: 1, by: 1}) || g.rows && f == (ofThread{axis: 0, times: 1, by: 1})) {
			return ofThread{axis: linear, times: 1, by: 1}, true
		}
		f.plus += n
		return f, ok && in.B.Reg == -1 && f.by == 1 && !f.rows
	case Shr, Div:
		if by := divisor(in); by > 0 {
			f.by *= by
			return f, ok && f.times == 1 && f.plus == 0 && f.by <= MaxThreads && !f.rows
		}
	}
	return f, false
}
