package ir

import (
	"maps"
	"math"
	"slices"
)

// Limits of how it is looked for where a comparison comes out otherwise.
const (
	maxScanned   = 1 << 14 // numbers
	mostScanned  = 1 << 19 // computations with them, for the numbers of one input
	maxQuestions = 512     // of one input
	maxParts     = 256     // computations of one question
)

// Sides is how comparisons that an input decides came out, by instruction.
type Sides struct {
	went map[int32]uint8 // 1: not so, 2: so
	hard map[int32]bool  // where they come out otherwise was not looked for everywhere
}

// meets notes how a comparison came out.
func (p *paths) meets(pc int32, is bool, q question) {
	s := p.sides
	if s.went == nil {
		s.went, s.hard = map[int32]uint8{}, map[int32]bool{}
	}
	if was := s.went[pc]; was == 0 {
		s.hard[pc] = p.hard(q)
	}
	if is {
		s.went[pc] |= 2
	} else {
		s.went[pc] |= 1
	}
}

// hard reports whether a value is made of the input in a way that may make it anything, and the numbers that are scanned are not all that tell: it is multiplied
// by itself, or by so much that it wraps, bits or a remainder are taken of it that small numbers do not have, or it is divided by so much that what it is compared with is out of reach.
func (p *paths) hard(q question) bool {
	parts := p.parts(q.a.made, q.b.made)
	if by := p.coarse(parts); by > 1 && by*max(q.a.n, -q.a.n, q.b.n, -q.b.n) > maxScanned {
		return true
	}
	return slices.ContainsFunc(parts, func(n int32) bool {
		f := &p.formulas[n]
		switch f.in.Op {
		case Mul, MulWide, Mad, MadWide:
			return !f.linear()
		}
		if n := f.of[1].n; f.of[1].made == 0 && (f.in.Op == And || f.in.Op == Or || f.in.Op == Xor || f.in.Op == Rem) && (n > maxScanned || n < -maxScanned) {
			return true
		}
		return f.of[0].made > 0 && f.of[1].made > 0 && (f.in.Op == MulHigh || f.in.Op == MadHigh)
	})
}

// Open are the comparisons that always came out alike, though perhaps there is a number for which they do not, and that decide whether the kernel synchronizes, or
// accesses shared memory.
func (s *Sides) Open(c *Kernel) (open []*Place) {
	for _, pc := range slices.Sorted(maps.Keys(s.went)) {
		if s.went[pc] < 3 && s.hard[pc] && c.decides(pc) {
			open = append(open, &c.Places[c.Insts[pc].Place])
		}
	}
	return open
}

// decides reports whether it depends on a comparison, by a branch or a guard, whether the kernel synchronizes or accesses shared memory.
func (c *Kernel) decides(pc int32) bool {
	made := map[int32]bool{}
	for again := true; again; {
		again = false
		for k := range c.Insts {
			in := &c.Insts[k]
			if in.Op != Setp && in.Op != Logic {
				continue
			}
			_, operands := in.OperandsOf()
			if int32(k) != pc && !slices.ContainsFunc(operands, func(p int32) bool { return made[p] }) {
				continue
			}
			_, results := in.Results()
			for _, p := range results {
				again = again || !made[p]
				made[p] = true
			}
		}
	}
	for k := range c.Insts {
		in := &c.Insts[k]
		_, operands := in.OperandsOf()
		switch guarded := in.Guard >= 0 && made[in.Guard]; {
		case guarded && in.Op.Branches() && in.Op != Call:
			if r := c.RegionOf(int32(k)); r.To < 0 || r.Why != "" || len(r.Accesses) > 0 {
				return true
			}
		case guarded, in.Op == Select && slices.ContainsFunc(operands, func(p int32) bool { return made[p] }):
			return true // its result is not dropped from a kernel that was reduced
		}
	}
	return false
}

// question is where one of two values, of which the input makes at least one, becomes greater than the other.
type question struct {
	t    Type
	a, b held
}

func (p *paths) ask(q question) {
	for _, v := range []*held{&q.a, &q.b} {
		if v.made > 0 {
			v.n = 0
		}
	}
	if !p.asked[q] && len(p.asked) < maxQuestions {
		p.asked[q] = true
		p.new = append(p.new, q)
	}
}

// linear reports whether what an instruction makes of one operand goes on evenly with it.
func (f *formula) linear() bool {
	n := 0
	for _, o := range f.of {
		if o.made > 0 {
			n++
		}
	}
	switch in := f.in; in.Op {
	case Add, Sub, Neg:
		return true
	case Mul, MulWide, Mad, MadWide: // as long as it does not wrap
		a, b, most := f.of[0], f.of[1], int64(math.MaxUint16)
		if in.Type.Bits == 64 || in.Op == MulWide || in.Op == MadWide {
			most = math.MaxUint32
		}
		return a.made == 0 && max(a.n, -a.n) <= most || b.made == 0 && max(b.n, -b.n) <= most
	case Shl:
		return f.of[1].made == 0
	case Convert:
		return in.Result.Bits >= in.Type.Bits || in.Result.Bits >= 32
	}
	return false
}

// parts are the formulas that values are made of, each behind those that it is made of itself; nil: there are too many.
func (p *paths) parts(of ...int32) (all []int32) {
	met := map[int32]bool{}
	for todo := slices.Clone(of); len(todo) > 0; {
		n := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; n <= 1 || met[n] {
			continue
		}
		if met[n] = true; len(met) > maxParts {
			return nil
		}
		all = append(all, n)
		for _, o := range p.formulas[n].of {
			todo = append(todo, o.made)
		}
	}
	slices.Sort(all)
	return all
}

// coarse is how many numbers for the input some of its parts do not tell apart: those that they are divided by, or shifted out.
func (p *paths) coarse(parts []int32) int64 {
	by := int64(1)
	for _, n := range parts {
		f := &p.formulas[n]
		at := f.of[1]
		switch {
		case at.made > 0 || at.n <= 0 || by > maxScanned:
		case f.in.Op == Shr:
			by *= 1 << min(at.n, 14)
		case f.in.Op == Div:
			by *= min(at.n, maxScanned)
		}
	}
	return min(by, maxScanned)
}

// asking is a question that is being answered.
type asking struct {
	*paths
	q     question
	parts []int32
	value map[int32]int
	n     []int64
}

// side is how far apart the values are with a number for the input, and which of them is the greater one.
func (a *asking) side(x int64) (apart int64, side int, ok bool) {
	get := func(v held) int64 {
		if v.made == 0 {
			return v.n
		} else if v.made == 1 {
			return x
		}
		return a.n[a.value[v.made]]
	}
	for k, n := range a.parts {
		f := &a.formulas[n]
		a.n[k], ok = f.in.Compute(get(f.of[0]), get(f.of[1]), get(f.of[2]), get(f.of[3]))
		if !ok {
			return 0, 0, false
		}
	}
	l, r := a.q.t.Bring(get(a.q.a)), a.q.t.Bring(get(a.q.b))
	switch {
	case a.q.t.less(l, r):
		side = -1
	case a.q.t.less(r, l):
		side = 1
	}
	return l - r, side, true
}

// answer lists the numbers before and behind which the side is another one: where a straight line through what is known crosses, and, where the values
// do not go on evenly, the first of each kind of those that there are, and those next to the number that the question came up with.
func (p *paths) answer(q question, near int64) (out []int64) {
	a := &asking{paths: p, q: q, parts: p.parts(q.a.made, q.b.made), value: map[int32]int{}}
	if a.parts == nil && (q.a.made > 1 || q.b.made > 1) || p.scan <= 0 {
		return nil
	}
	p.scan -= Lanes * (1 + len(a.parts))
	bent, most := false, int64(0)
	grow := func(v held) {
		if v.made == 0 {
			most = max(most, v.n, -v.n)
		}
	}
	grow(q.a)
	grow(q.b)
	for k, n := range a.parts {
		a.value[n] = k
		f := &p.formulas[n]
		bent = bent || !f.linear()
		for _, o := range f.of {
			grow(o)
		}
	}
	a.n = make([]int64, len(a.parts))
	put := func(x int64) bool { // whether the side changes there
		_, s, ok := a.side(x)
		_, before, ok2 := a.side(x - 1)
		if !ok || !ok2 || s == before {
			return false
		}
		out = append(out, x-1, x)
		return true
	}
	d, _, ok := a.side(near)
	e, _, ok2 := a.side(near + 1)
	if by := e - d; ok && ok2 && by != 0 {
		root := near - d/by
		for x := root - 2; x <= root+2; x++ {
			put(x)
		}
	}
	if !bent {
		return out
	}
	to := min(maxScanned, (4*most+2*Lanes)*p.coarse(a.parts))
	if most > maxScanned {
		to = maxScanned
	}
	met := map[[2]int]bool{}
	was, valid, equal := 0, false, false // equal: the values have been so, and then not
	for x := int64(0); x <= to && p.scan > 0 && (len(met) < 2 || !equal); x++ {
		_, s, ok := a.side(x)
		if change := [2]int{was, s}; ok && valid && s != was && !met[change] {
			met[change], equal = true, equal || was == 0
			out = append(out, x-1, x)
		}
		was, valid = s, ok
		p.scan -= 1 + len(a.parts)
	}
	for x := near; x > max(near-Lanes, 0); x-- {
		if put(x) {
			break
		}
	}
	for x := near + 1; x < near+Lanes; x++ {
		if put(x) {
			break
		}
	}
	return out
}
