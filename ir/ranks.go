package ir

import (
	"slices"
	"strings"
)

// Axes says along how many axes it matters how a kernel's threads are numbered: 1 where numbers along y and z go into nothing but the number of a
// thread among all of its CTA, x + y*ntid.x + z*ntid.x*ntid.y, as cooperative groups compute it. Then shapes of as many threads are alike.
func (c *Kernel) Axes() int {
	r := &ranks{kernel: c, known: map[int32]polynomial{}}
	n := 1
	for k := range c.Insts {
		in := &c.Insts[k]
		if set, _ := in.Results(); len(set) == 1 && r.of(Operand{Reg: set[0]}, 0) != nil {
			continue // what is made of it is looked at where that is used
		}
		registers, _ := in.OperandsOf()
		for _, o := range registers {
			if p := r.of(Operand{Reg: o}, 0); !p.rank() {
				for t := range p {
					n = max(n, t.axes())
				}
			}
		}
	}
	return n
}

// product is a product of powers of tid.x, tid.y, tid.z, ntid.x and ntid.y.
type product [5]uint8

// axes is the last axis along which a product has a thread's number.
func (t product) axes() int {
	switch {
	case t[2] > 0:
		return 3
	case t[1] > 0:
		return 2
	}
	return 1
}

// polynomial is a sum of products with their factors; nil: it is made of something else.
type polynomial map[product]int64

// maxRankTerms bounds a polynomial: the number of a thread has three.
const maxRankTerms = 8

// rank reports whether a polynomial is a multiple of the number of a thread among all of its CTA, or of its plane, and a constant; or
// does not depend on y and z.
func (p polynomial) rank() bool {
	x, y, z := product{1}, product{0, 1, 0, 1}, product{0, 0, 1, 1, 1}
	for t, n := range p {
		if t.axes() > 1 && (t != y && t != z || n != p[x]) {
			return false
		}
	}
	return p[z] == 0 || p[y] == p[x]
}

type ranks struct {
	kernel *Kernel
	known  map[int32]polynomial
}

func (r *ranks) of(o Operand, depth int) polynomial {
	if o.Reg < 0 {
		return polynomial{product{}: o.Imm}
	}
	if p, met := r.known[o.Reg]; met || depth > maxConstant {
		return p
	}
	r.known[o.Reg] = nil
	var out polynomial
	for k, name := range []string{"%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y"} {
		if s, read := r.kernel.Special[name]; read && s == o.Reg {
			t := product{}
			t[k] = 1
			out = polynomial{t: 1}
		}
	}
	if d := definitions.of(r.kernel).registers[o.Reg]; out == nil && len(d) == 1 {
		out = r.madeBy(&r.kernel.Insts[d[0]], depth+1)
	}
	if len(out) > maxRankTerms {
		out = nil
	}
	r.known[o.Reg] = out
	return out
}

// madeBy is what an instruction computes. That numbers of threads are less than 2^31 all together is taken for granted.
func (r *ranks) madeBy(in *Inst, depth int) polynomial {
	if in.Guard >= 0 || in.Extra != nil || in.Type.Bits < 32 {
		return nil
	}
	switch in.Op {
	case Move:
		return r.of(in.A, depth)
	case Convert:
		if in.Result.Bits >= 32 {
			return r.of(in.A, depth)
		}
	case Add:
		return r.of(in.A, depth).plus(r.of(in.B, depth))
	case Mul, MulWide:
		return r.of(in.A, depth).times(r.of(in.B, depth))
	case Mad, MadWide:
		return r.of(in.A, depth).times(r.of(in.B, depth)).plus(r.of(in.C, depth))
	case Shl:
		if in.B.Reg == -1 && in.B.Imm >= 0 && in.B.Imm < 32 {
			return r.of(in.A, depth).times(polynomial{product{}: 1 << in.B.Imm})
		}
	}
	return nil
}

func (p polynomial) plus(q polynomial) polynomial {
	if p == nil || q == nil {
		return nil
	}
	out := polynomial{}
	for _, s := range []polynomial{p, q} {
		for t, n := range s {
			out[t] += n
		}
	}
	return out
}

func (p polynomial) times(q polynomial) polynomial {
	if p == nil || q == nil {
		return nil
	}
	out := polynomial{}
	for t, n := range p {
		for u, m := range q {
			v := t
			for k := range v {
				v[k] += u[k]
			}
			out[v] += n * m
		}
	}
	return out
}

// Memory is what AddressOf calls global memory.
const Memory = "memory"

// AddressOf lists what the addresses of the accesses at a place, of global or of other memory, may be made of: inputs and special registers, by name, and global memory: where there something is loaded
// from says nothing of what it is. Factors are those of these that something else that is not constant is multiplied by.
func (c *Kernel) AddressOf(place uint32, global bool) (names, factors []string) {
	var roots []Operand
	for k := range c.Insts {
		if in := &c.Insts[k]; in.Place == place && (in.Op.Accesses() || in.Op == Async) {
			if in.Op != Async {
				roots = append(roots, in.A)
				continue
			}
			for n, o := range in.Extra.Operands[:min(2, len(in.Extra.Operands))] {
				if shared := in.Flags&[]Flags{ToShared, FromShared}[n] != 0; shared != global {
					roots = append(roots, o)
				}
			}
		}
	}
	loads := func(in *Inst) bool { return in.Op == Load && in.Space == Global }
	s := c.sliceTo(roots, nil, loads)
	var products []Operand
	for k := range s.insts {
		switch in := &c.Insts[k]; in.Op {
		case Mul, MulWide, Mad, MadWide:
			if in.A.Reg >= 0 && in.B.Reg >= 0 {
				products = append(products, in.A, in.B)
			}
		}
	}
	return c.namesOf(s), c.namesOf(c.sliceTo(products, nil, loads))
}

// EndedBy lists what the ends of loops may be made of of whose rounds the addresses of the accesses at a place are, as far as these rounds have no known bound: the more there are, the further
// these accesses go.
func (c *Kernel) EndedBy(place uint32) []string {
	var ends []Operand
	var tests []int32
	a, loops, fl := c.Affine(), c.Loops(), c.Flow()
	for k := range c.Insts {
		in := &c.Insts[k]
		if in.Place != place || !in.Op.Accesses() {
			continue
		}
		for _, t := range a.Of(int32(k), in.A).Terms {
			n := -1 - t.Atom
			switch {
			case n < 0 || a.Rounds[n] >= 0:
			case loops[n].Exit >= 0:
				ends = append(ends, loops[n].Bound)
			default: // its bound is computed in each round
				for _, b := range loops[n].Blocks {
					last := fl.Last(b)
					if c.Insts[last].Guard >= 0 && slices.ContainsFunc(fl.Next(b), func(next int32) bool { return !loops[n].Has(next) }) {
						tests = append(tests, c.Insts[last].Guard)
					}
				}
			}
		}
	}
	return c.namesOf(c.sliceTo(ends, tests, func(in *Inst) bool { return in.Op == Load && in.Space == Global }))
}

// CountedBy lists the inputs that the counts of barriers may be made of: how many arrivals an mbarrier is initialised for, and how many threads come to a named barrier.
func (c *Kernel) CountedBy() []string {
	var roots []Operand
	for k := range c.Insts {
		if in := &c.Insts[k]; in.Op == MbarInit || in.Op == BarrierCTA {
			roots = append(roots, in.B)
		}
	}
	return c.namesOf(c.sliceTo(roots, nil, func(in *Inst) bool { return in.Op == Load && in.Space == Global }))
}

// Unfollowed reports whether the guard of an instruction is made neither of inputs, nor of what memory holds or threads tell each other: of something that was not followed.
func (c *Kernel) Unfollowed(in *Inst) bool {
	loads := func(in *Inst) bool {
		return in.Op == Atomic || in.Op == BarrierCTA || in.Op.Does(Exchanges) || in.Op == Load && in.Space != Const && in.Space != Param && in.Space != Local
	}
	s := c.sliceTo(nil, []int32{in.Guard}, loads)
	for k := range s.insts {
		if loads(&c.Insts[k]) {
			return false
		}
	}
	return len(c.namesOf(s)) == 0
}

// ByThread reports whether the guard of an instruction is made of which thread asks, other than by what memory holds.
func (c *Kernel) ByThread(in *Inst) bool {
	s := c.sliceTo(nil, []int32{in.Guard}, func(in *Inst) bool { return in.Op.Accesses() })
	return slices.ContainsFunc([]string{"%tid.x", "%tid.y", "%tid.z", "%laneid"}, func(name string) bool {
		r, read := c.Special[name]
		return read && s.registers[r]
	})
}

// OfLaunch reports whether a register is computed from nothing but what a launch gives all threads of a CTA, and memory at such places, and once: whichever threads come there, and whenever, have
// the same.
func (c *Kernel) OfLaunch(o Operand) bool {
	s := c.sliceBehind([]Operand{o}, nil, func(*Inst) bool { return false })
	for name, r := range c.Special {
		if base, _, _ := strings.Cut(name, "."); s.registers[r] && !sameForCTA[base] {
			return false
		}
	}
	d := definitions.of(c)
	given := map[int32]bool{}
	for _, r := range c.Special {
		given[r] = true
	}
	for _, g := range c.Given() {
		given[g.Register] = true
	}
	for r := range s.registers {
		n := len(d.registers[r])
		left := n == 0 && !given[r] && (c.alike == nil || c.alike().Registers[r] != UniformCTA) // out of a reduced kernel
		if n > 1 || left {
			return false
		}
	}
	for k := range s.insts {
		if in := &c.Insts[k]; in.Op != Load && !in.Op.Does(Computes) {
			return false
		}
	}
	return true
}

// namesOf lists the inputs and special registers of a slice, by name, and global memory.
func (c *Kernel) namesOf(s *slice) (names []string) {
	for r, name := range c.inputs() {
		if s.registers[r] {
			names = append(names, name)
		}
	}
	for k := range s.insts {
		if in := &c.Insts[k]; in.Op == Load && (in.Space == Global || in.Space == Generic) && !slices.Contains(names, Memory) {
			names = append(names, Memory)
		}
	}
	for name, r := range c.Special {
		if s.registers[r] && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// TestsOf are the instructions that may set a predicate.
func (c *Kernel) TestsOf(predicate int32) []int32 { return definitions.of(c).predicates[predicate] }

// SetsOf are the instructions that may set a register.
func (c *Kernel) SetsOf(register int32) []int32 { return definitions.of(c).registers[register] }
