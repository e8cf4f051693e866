package ir

import "math/bits"

// Compute is one lane's result of integer arithmetic (PTX ISA 9.7.1, 9.7.8); ok is false where the result is not defined.
func (in *Inst) Compute(a, b, c, d int64) (r int64, ok bool) {
	t := in.Type
	switch in.Op {
	case Move:
		return a, true
	case Convert:
		return in.Result.Convert(t.Bring(a)), true
	case Add:
		return t.Store(a + b), true
	case Sub:
		return t.Store(a - b), true
	case Mul:
		return t.Store(a * b), true
	case Mad:
		return t.Store(a*b + c), true
	case MulWide:
		return in.Result.Store(t.Bring(a) * t.Bring(b)), true
	case MadWide:
		return in.Result.Store(t.Bring(a)*t.Bring(b) + c), true
	case MulHigh:
		return t.Store(t.number().High(t.Bring(a), t.Bring(b))), true
	case MadHigh:
		return t.Store(t.number().High(t.Bring(a), t.Bring(b)) + c), true
	case And:
		return t.Store(a & b), true
	case Or:
		return t.Store(a | b), true
	case Xor:
		return t.Store(a ^ b), true
	case Not:
		return t.Store(^a), true
	case Shl:
		return t.Store(t.number().Clamped("<<", a, b)), true
	case Neg:
		return t.Store(-a), true
	}
	return in.computeMore(t.Bring(a), t.Bring(b), t.Bring(c), d)
}

// Convert is what cvt keeps of an integer in its own type.
func (t Type) Convert(n int64) int64 {
	n = t.Bring(n)
	if t.Bits == 32 {
		return int64(int32(n))
	}
	return n
}

// computeMore has operands in the instruction's type.
func (in *Inst) computeMore(a, b, c, d int64) (int64, bool) {
	t := in.Type
	switch in.Op {
	case Div, Rem:
		return in.divide(a, b)
	case Min:
		if t.less(b, a) {
			a = b
		}
		return t.Store(a), true
	case Max:
		if t.less(a, b) {
			a = b
		}
		return t.Store(a), true
	case Abs:
		if a < 0 {
			a = -a
		}
		return t.Store(a), true
	case Sad:
		if t.less(a, b) {
			a, b = b, a
		}
		return t.Store(a - b + c), true
	case Cnot:
		if a == 0 {
			return 1, true
		}
		return 0, true
	case Shr:
		return t.Store(t.number().Clamped(">>", a, b)), true
	case Set:
		if t.Holds(in.Mode, a, b) {
			return in.Result.Store(-1), true
		}
		return 0, true
	}
	return in.computeBits(a, b, c, d)
}

func (in *Inst) divide(a, b int64) (int64, bool) {
	op := "%"
	if in.Op == Div {
		op = "/"
	}
	n, ok := in.Type.number().Modular(op, a, b)
	return in.Type.Store(n), ok
}

// Less compares operands brought to the type.
func (t Type) less(a, b int64) bool { return t.number().Less(a, b) }

// Holds decides a comparison of operands brought to the type.
func (t Type) Holds(comparison uint8, a, b int64) bool {
	switch comparison {
	case Equal:
		return a == b
	case NotEqual:
		return a != b
	case Less:
		return t.less(a, b)
	case LessEqual:
		return !t.less(b, a)
	case Greater:
		return t.less(b, a)
	}
	return !t.less(a, b)
}

// computeBits is the rest of 9.7.1 and 9.7.8: fields, counts, permutations.
func (in *Inst) computeBits(a, b, c, d int64) (int64, bool) {
	t := in.Type
	plain := uint64(Type{Bits: t.Bits}.Bring(a))
	width := int(t.Bits)
	switch in.Op {
	case Popc:
		return int64(bits.OnesCount64(plain)), true
	case Clz:
		return int64(bits.LeadingZeros64(plain) - (64 - width)), true
	case Bfind:
		if t.Signed && a < 0 {
			plain = uint64(Type{Bits: t.Bits}.Bring(^a))
		}
		if plain == 0 {
			return -1, true
		}
		n := int64(63 - bits.LeadingZeros64(plain))
		if in.Mode != 0 {
			n = int64(width) - 1 - n
		}
		return n, true
	case Brev:
		return t.Store(int64(bits.Reverse64(plain) >> (64 - width))), true
	case Bfe:
		return in.field(a, int(b&0xff), int(c&0xff)), true
	case Bfi:
		pos, n := int(c&0xff), int(d&0xff)
		mask := uint64(0)
		if n > 0 && pos < width {
			mask = (^uint64(0) >> (64 - min(n, 64))) << pos
		}
		return t.Store(int64(uint64(b)&^mask | plain<<min(pos, 63)&mask)), true
	case Lop3:
		return t.Store(logic(a, b, c, d)), true
	case Prmt:
		return permute(a, b, c), true
	case FunnelLeft, FunnelRight:
		n := uint(c & 31)
		if in.Mode != 0 {
			n = uint(min(uint32(c), 32))
		}
		both := uint64(uint32(b))<<32 | uint64(uint32(a))
		if in.Op == FunnelLeft {
			return int64(int32(both << n >> 32)), true
		}
		return int64(int32(both >> n)), true
	}
	return 0, false
}

// field is bfe (PTX ISA 9.7.1.17): n bits from pos on, sign-extended for signed types.
func (in *Inst) field(a int64, pos, n int) int64 {
	width := int(in.Type.Bits)
	sign := int64(0)
	if in.Type.Signed && n > 0 && a>>min(pos+n-1, width-1)&1 != 0 {
		sign = -1
	}
	if n == 0 {
		return 0
	}
	r := sign
	if pos < width {
		n = min(n, 64)
		keep := ^uint64(0) >> (64 - n)
		if avail := width - pos; avail < n {
			keep = ^uint64(0) >> (64 - avail)
		}
		r = int64(uint64(a)>>pos&keep | uint64(sign)&^keep)
	}
	return in.Type.Store(r)
}

// logic is lop3: bit k of the table is the result for the bits k/4, k/2%2, k%2 of the operands.
func logic(a, b, c, table int64) int64 {
	var r int64
	for k := 0; k < 8; k++ {
		if table>>k&1 == 0 {
			continue
		}
		x, y, z := a, b, c
		if k&4 == 0 {
			x = ^x
		}
		if k&2 == 0 {
			y = ^y
		}
		if k&1 == 0 {
			z = ^z
		}
		r |= x & y & z
	}
	return r
}

// permute is prmt in its default mode (PTX ISA 9.7.8.7).
func permute(a, b, selector int64) int64 {
	both := uint64(uint32(b))<<32 | uint64(uint32(a))
	var r uint32
	for k := 0; k < 4; k++ {
		s := selector >> (4 * k) & 15
		v := uint32(both >> (8 * (s & 7)) & 0xff)
		if s&8 != 0 {
			v = -(v >> 7) & 0xff
		}
		r |= v << (8 * k)
	}
	return int64(int32(r))
}
