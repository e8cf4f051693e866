package exec

import "github.com/fencepost-dev/fencepost/ir"

// read gives an operand's value.
func (w *warp) read(o ir.Operand) value {
	if o.Reg < 0 {
		return value{base: o.Imm}
	}
	return w.registers[o.Reg]
}

// predicate is what is known of a predicate in the lanes: bits where it is true, open where it is not known.
type predicate struct {
	bits, open uint32
	even       bool // all lanes have the same, be it known or not
}

func (w *warp) test(o ir.Operand) predicate {
	p := predicate{even: true}
	if o.Reg >= 0 {
		p = w.predicates[o.Reg]
	} else if o.Imm != 0 {
		p.bits = ^uint32(0)
	}
	if o.Not {
		p.bits = ^p.bits
	}
	p.bits &^= p.open
	return p
}

// set gives lanes of a register a new value; those of open may have it or keep the old one.
func (w *warp) set(d int32, v *value, mask, open uint32) {
	if d < 0 {
		return
	}
	own := unknown // what a lane has that may have kept its value
	if w.m.kernel.Data {
		if v = w.definite(d, v); open != 0 {
			own = w.freshSymbol(d)
		}
	}
	if mask&w.alive == w.alive {
		w.store(d, v)
		return
	}
	old := &w.registers[d]
	if old.spread == nil && v.spread == nil && old.base == v.base && old.stride == v.stride && old.sym == v.sym {
		return
	}
	s := &w.merged
	for l := 0; l < ir.Lanes; l++ {
		switch {
		case mask>>l&1 != 0:
			s.sym[l], s.v[l] = v.lane(l)
		case open>>l&1 != 0:
			s.sym[l], s.v[l] = own, int64(l)
		default:
			s.sym[l], s.v[l] = old.lane(l)
		}
	}
	r := w.settle(s)
	w.store(d, &r)
}

// freshSymbol is a function of the lane for what a register is set to now: each lane has one value, whatever it is, so what lanes make of each
// other's values alike is the same.
func (w *warp) freshSymbol(d int32) symbol {
	return w.m.symbols.of(computation{op: ir.Havoc, what: uint32(d), k: [3]int64{int64(w.cta.rank)<<32 | int64(w.index), w.steps}})
}

// definite gives lanes of which nothing is known a value of their own, or all threads of the CTA one, where it is the same for these.
func (w *warp) definite(d int32, v *value) *value {
	if v.spread == nil {
		if v.sym != unknown {
			return v
		}
		if w.m.whole && w.m.alike != nil && w.m.alike.Registers[d] == ir.UniformCTA {
			if w.times == nil {
				w.times = map[int32]int64{}
			}
			w.times[d]++
			return &value{sym: w.m.symbols.of(computation{op: ir.Havoc, what: uint32(d), k: [3]int64{int64(w.cta.rank)<<32 | 1<<31, w.times[d]}})}
		}
		return &value{sym: w.freshSymbol(d), stride: 1}
	}
	for l := range v.spread.sym {
		if v.spread.sym[l] == unknown {
			v.spread.sym[l], v.spread.v[l] = w.freshSymbol(d), int64(l)
		}
	}
	return v
}

// settle makes a value of lanes, affine if it can be. It is good until the next one.
func (w *warp) settle(s *spread) value {
	if v, ok := s.compress(w.alive); ok {
		return v
	}
	return value{spread: s}
}

func (w *warp) store(d int32, v *value) {
	r := &w.registers[d]
	if v.spread == nil {
		r.base, r.stride, r.sym, r.spread = v.base, v.stride, v.sym, nil
		return
	}
	if w.buffers[d] == nil {
		w.buffers[d] = new(spread)
	}
	if w.buffers[d] != v.spread {
		*w.buffers[d] = *v.spread
	}
	r.spread = w.buffers[d]
}

// setPredicate gives lanes of a predicate a new value.
func (w *warp) setPredicate(d int32, p predicate, mask, open uint32) {
	if d < 0 {
		return
	}
	old := &w.predicates[d]
	p.bits &= mask
	p.open = p.open&mask | open&^mask
	old.bits = old.bits&^(mask|open) | p.bits
	old.open = old.open&^(mask|open) | p.open
	old.even = p.even && open == 0 && w.alive&^mask == 0
}

// arithmetic computes an instruction's result.
func (w *warp) arithmetic(in *ir.Inst) value {
	a, b := w.read(in.A), w.read(in.B)
	if in.Op == ir.Move {
		return a
	}
	c := value{}
	if in.C.Reg >= 0 || in.C.Imm != 0 {
		c = w.read(in.C)
	}
	var d int64
	if in.Extra != nil {
		o := w.read(in.Extra.Operands[0])
		if !o.uniform() {
			return top
		}
		d = o.base
	}
	if a.spread == nil && b.spread == nil && c.spread == nil {
		if a.sym|b.sym|c.sym == known {
			if a.stride|b.stride|c.stride == 0 {
				r, ok := in.Compute(a.base, b.base, c.base, d)
				if !ok {
					return top
				}
				return value{base: r}
			}
			if v, ok := shift(in, &a, &b, &c); ok {
				return v
			}
		} else {
			return w.symbolic(in, &a, &b, &c)
		}
	}
	return w.laneByLane(in, &a, &b, &c, d)
}

// shift does affine values all at once, where the result is affine for sure.
func shift(in *ir.Inst, a, b, c *value) (value, bool) {
	t := in.Type
	switch in.Op {
	case ir.Add:
		return value{base: t.Store(a.base + b.base), stride: t.Store(a.stride + b.stride)}, true
	case ir.Sub:
		return value{base: t.Store(a.base - b.base), stride: t.Store(a.stride - b.stride)}, true
	case ir.Mul, ir.Mad:
		if a.stride == 0 {
			a, b = b, a
		}
		if b.stride != 0 {
			return value{}, false
		}
		return value{base: t.Store(a.base*b.base + c.base), stride: t.Store(a.stride*b.base + c.stride)}, true
	case ir.Shl:
		if b.stride != 0 || uint64(b.base) >= uint64(t.Bits) {
			return value{}, false
		}
		return value{base: t.Store(a.base << b.base), stride: t.Store(a.stride << b.base)}, true
	case ir.Convert:
		v, ok := a.bring(t)
		if !ok {
			return value{}, false
		}
		return v.bring(ir.Type{Bits: in.Result.Bits, Signed: in.Result.Signed || in.Result.Bits == 32})
	case ir.MulWide, ir.MadWide:
		x, ok1 := a.bring(t)
		y, ok2 := b.bring(t)
		if !ok1 || !ok2 || x.stride != 0 && y.stride != 0 {
			return value{}, false
		}
		if x.stride == 0 {
			x, y = y, x
		}
		u := in.Result
		return value{base: u.Store(x.base*y.base + c.base), stride: u.Store(x.stride*y.base + c.stride)}, true
	}
	return value{}, false
}

// symbolic does a computation with operands that are not known.
func (w *warp) symbolic(in *ir.Inst, a, b, c *value) value {
	if a.sym == unknown || b.sym == unknown || c.sym == unknown {
		return top
	}
	if v, ok := w.drawn(in, a, b); ok && in.Extra == nil {
		return v
	}
	switch in.Op {
	case ir.Add, ir.Sub:
		if v, ok := w.displace(in, a, b); ok {
			return v
		}
	case ir.Mad, ir.MadWide: // the product, then the sum
		first, then := ir.Inst{Op: ir.Mul, Type: in.Type, Result: in.Result}, ir.Inst{Op: ir.Add, Type: in.Result, Result: in.Result}
		if in.Op == ir.MadWide {
			first.Op = ir.MulWide
		}
		product := w.compose(&first, a, b)
		return w.compose(&then, &product, c)
	}
	if x, y, z := w.pointed(*a), w.pointed(*b), w.pointed(*c); in.Extra == nil && x.sym|y.sym|z.sym == known && x.stride|y.stride|z.stride == 0 {
		if r, ok := in.Compute(x.base, y.base, z.base, 0); ok {
			return integer(r)
		}
		return top
	}
	return w.combine(computation{op: in.Op, t: in.Type, u: in.Result, any: in.Op.Does(ir.Commutes)}, *a, *b, *c)
}

// pointed is an address, where the launch says what the parameter is that it is made of.
func (w *warp) pointed(v value) value {
	if n, given := w.m.pointers[v.sym]; given && v.spread == nil {
		return value{base: n + v.base, stride: v.stride}
	}
	return v
}

// compose does one of the operations of which an instruction is made.
func (w *warp) compose(in *ir.Inst, a, b *value) value {
	if a.spread != nil || b.spread != nil {
		return top
	}
	if a.sym|b.sym != known {
		return w.symbolic(in, a, b, &value{})
	}
	x, y := *a, *b
	if v, ok := shift(in, &x, &y, &value{}); ok {
		return v
	}
	return top
}

// displace adds a known value to one that is not: what is not known has to be the same in all lanes.
func (w *warp) displace(in *ir.Inst, a, b *value) (value, bool) {
	x, y, sign := a, b, int64(1)
	if in.Op == ir.Sub {
		sign = -1
	} else if x.sym == known {
		x, y = y, x
	}
	if y.sym != known {
		return top, false
	}
	base := *x
	if x.sym&linear == 0 {
		if x.stride != 0 || y.stride == 0 { // a constant makes another function of it
			return top, false
		}
		if base = (value{sym: w.anchor(x.sym, x.base)}); base.sym == unknown {
			return top, true
		}
	}
	return value{base: in.Type.Store(base.base + sign*y.base), stride: in.Type.Store(base.stride + sign*y.stride), sym: base.sym}, true
}

// symbol numbers a computation; each warp remembers those it had.
func (w *warp) symbol(n computation) symbol {
	s, ok := w.had[n]
	if !ok {
		s = w.m.symbols.of(n)
		if w.had == nil || len(w.had) > 1<<12 {
			w.had = map[computation]symbol{}
		}
		w.had[n] = s
	}
	return s
}

// laneByLane computes each lane for itself.
func (w *warp) laneByLane(in *ir.Inst, a, b, c *value, d int64) value {
	s := &w.scratch
	for l := 0; l < ir.Lanes; l++ {
		sa, va := a.lane(l)
		sb, vb := b.lane(l)
		sc, vc := c.lane(l)
		if sa|sb|sc == known {
			r, ok := in.Compute(va, vb, vc, d)
			s.sym[l], s.v[l] = known, r
			if !ok {
				s.sym[l] = unknown
			}
			continue
		}
		x, y, z := value{base: va, sym: sa}, value{base: vb, sym: sb}, value{base: vc, sym: sc}
		r := w.symbolic(in, &x, &y, &z)
		s.sym[l], s.v[l] = r.sym, r.base
	}
	return w.settle(s)
}

// compare decides setp in the lanes.
func (w *warp) compare(in *ir.Inst) predicate {
	a, b := w.read(in.A), w.read(in.B)
	t := in.Type
	if t.Data {
		return predicate{open: ^uint32(0)}
	}
	a, b = w.pointed(a), w.pointed(b)
	if a.uniform() && b.uniform() {
		if t.Holds(in.Mode, t.Bring(a.base), t.Bring(b.base)) {
			return predicate{bits: ^uint32(0), even: true}
		}
		return predicate{even: true}
	}
	if a.spread == nil && b.spread == nil && (a.sym == unknown || b.sym == unknown) {
		return predicate{open: ^uint32(0)}
	}
	p := predicate{even: true}
	firstA, atA := a.lane(0)
	firstB, atB := b.lane(0)
	for l := 0; l < ir.Lanes; l++ {
		sa, va := a.lane(l)
		sb, vb := b.lane(l)
		p.even = p.even && sa == firstA && va == atA && sb == firstB && vb == atB && sa != unknown && sb != unknown
		switch {
		case sa|sb == known:
			if t.Holds(in.Mode, t.Bring(va), t.Bring(vb)) {
				p.bits |= 1 << l
			}
		case sa == sb && sa != unknown && va == vb: // the same, whatever it is
			if t.Holds(in.Mode, 0, 0) {
				p.bits |= 1 << l
			}
		default:
			p.open |= 1 << l
		}
	}
	return p
}

// joined is how setp and the instructions of predicates combine two.
func joined(how uint8, p, q predicate) predicate {
	var r predicate
	switch how {
	case ir.JoinAnd:
		r.bits = p.bits & q.bits
		r.open = (p.open | q.open) &^ (^p.bits&^p.open | ^q.bits&^q.open)
	case ir.JoinOr:
		r.bits = p.bits | q.bits
		r.open = (p.open | q.open) &^ r.bits
	case ir.JoinXor:
		r.bits = p.bits ^ q.bits
		r.open = p.open | q.open
	case ir.JoinNot:
		r.bits, r.open = ^p.bits, p.open
	default:
		r = p
	}
	r.bits &^= r.open
	r.even = p.even && (q.even || how != ir.JoinAnd && how != ir.JoinOr && how != ir.JoinXor)
	return r
}

// choose is selp: a where the predicate is true, else b.
func (w *warp) choose(in *ir.Inst) value {
	a, b, p := w.read(in.A), w.read(in.B), w.test(in.C)
	p.bits, p.open = p.bits&w.alive, p.open&w.alive
	switch {
	case p.open == 0 && p.bits == w.alive:
		return a
	case p.open|p.bits == 0:
		return b
	}
	s := &w.scratch
	for l := 0; l < ir.Lanes; l++ {
		sa, va := a.lane(l)
		sb, vb := b.lane(l)
		switch {
		case p.bits>>l&1 != 0 || sa == sb && va == vb && sa != unknown:
			s.sym[l], s.v[l] = sa, va
		case p.open>>l&1 != 0:
			s.sym[l], s.v[l] = unknown, 0
		default:
			s.sym[l], s.v[l] = sb, vb
		}
	}
	return w.settle(s)
}
