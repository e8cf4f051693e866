package emulate

import (
	"math/bits"
)

// compute is one lane's result of integer arithmetic (PTX ISA 9.7.1, 9.7.8); ok is false where the result is not defined.
func (in *inst) compute(a, b, c, d int64) (r int64, ok bool) {
	t := in.t
	switch in.op {
	case opMove:
		return a, true
	case opConvert:
		return in.u.convert(t.bring(a)), true
	case opAdd:
		return t.store(a + b), true
	case opSub:
		return t.store(a - b), true
	case opMul:
		return t.store(a * b), true
	case opMad:
		return t.store(a*b + c), true
	case opMulWide:
		return in.u.store(t.bring(a) * t.bring(b)), true
	case opMadWide:
		return in.u.store(t.bring(a)*t.bring(b) + c), true
	case opMulHigh:
		return t.store(t.number().High(t.bring(a), t.bring(b))), true
	case opMadHigh:
		return t.store(t.number().High(t.bring(a), t.bring(b)) + c), true
	case opAnd:
		return t.store(a & b), true
	case opOr:
		return t.store(a | b), true
	case opXor:
		return t.store(a ^ b), true
	case opNot:
		return t.store(^a), true
	case opShl:
		return t.store(t.number().Clamped("<<", a, b)), true
	case opNeg:
		return t.store(-a), true
	}
	return in.computeMore(t.bring(a), t.bring(b), t.bring(c), d)
}

// convert is what cvt keeps of an integer in its own type.
func (t typ) convert(n int64) int64 {
	n = t.bring(n)
	if t.bits == 32 {
		return int64(int32(n))
	}
	return n
}

// computeMore has operands in the instruction's type.
func (in *inst) computeMore(a, b, c, d int64) (int64, bool) {
	t := in.t
	switch in.op {
	case opDiv, opRem:
		return in.divide(a, b)
	case opMin:
		if t.less(b, a) {
			a = b
		}
		return t.store(a), true
	case opMax:
		if t.less(a, b) {
			a = b
		}
		return t.store(a), true
	case opAbs:
		if a < 0 {
			a = -a
		}
		return t.store(a), true
	case opSad:
		if t.less(a, b) {
			a, b = b, a
		}
		return t.store(a - b + c), true
	case opCnot:
		if a == 0 {
			return 1, true
		}
		return 0, true
	case opShr:
		return t.store(t.number().Clamped(">>", a, b)), true
	case opSet:
		if t.holds(in.sub, a, b) {
			return in.u.store(-1), true
		}
		return 0, true
	}
	return in.computeBits(a, b, c, d)
}

func (in *inst) divide(a, b int64) (int64, bool) {
	op := "%"
	if in.op == opDiv {
		op = "/"
	}
	n, ok := in.t.number().Modular(op, a, b)
	return in.t.store(n), ok
}

// less compares operands brought to the type.
func (t typ) less(a, b int64) bool { return t.number().Less(a, b) }

// holds decides a comparison of operands brought to the type.
func (t typ) holds(comparison uint8, a, b int64) bool {
	switch comparison {
	case equal:
		return a == b
	case notEqual:
		return a != b
	case less:
		return t.less(a, b)
	case lessEqual:
		return !t.less(b, a)
	case greater:
		return t.less(b, a)
	}
	return !t.less(a, b)
}

// computeBits is the rest of 9.7.1 and 9.7.8: fields, counts, permutations.
func (in *inst) computeBits(a, b, c, d int64) (int64, bool) {
	t := in.t
	plain := uint64(typ{bits: t.bits}.bring(a))
	width := int(t.bits)
	switch in.op {
	case opPopc:
		return int64(bits.OnesCount64(plain)), true
	case opClz:
		return int64(bits.LeadingZeros64(plain) - (64 - width)), true
	case opBfind:
		if t.signed && a < 0 {
			plain = uint64(typ{bits: t.bits}.bring(^a))
		}
		if plain == 0 {
			return -1, true
		}
		n := int64(63 - bits.LeadingZeros64(plain))
		if in.sub != 0 {
			n = int64(width) - 1 - n
		}
		return n, true
	case opBrev:
		return t.store(int64(bits.Reverse64(plain) >> (64 - width))), true
	case opBfe:
		return in.field(a, int(b&0xff), int(c&0xff)), true
	case opBfi:
		pos, n := int(c&0xff), int(d&0xff)
		mask := uint64(0)
		if n > 0 && pos < width {
			mask = (^uint64(0) >> (64 - min(n, 64))) << pos
		}
		return t.store(int64(uint64(b)&^mask | plain<<min(pos, 63)&mask)), true
	case opLop3:
		return t.store(logic(a, b, c, d)), true
	case opPrmt:
		return permute(a, b, c), true
	case opFunnelLeft, opFunnelRight:
		n := uint(c & 31)
		if in.sub != 0 {
			n = uint(min(uint32(c), 32))
		}
		both := uint64(uint32(b))<<32 | uint64(uint32(a))
		if in.op == opFunnelLeft {
			return int64(int32(both << n >> 32)), true
		}
		return int64(int32(both >> n)), true
	}
	return 0, false
}

// field is bfe (PTX ISA 9.7.1.17): n bits from pos on, sign-extended for signed types.
func (in *inst) field(a int64, pos, n int) int64 {
	width := int(in.t.bits)
	sign := int64(0)
	if in.t.signed && n > 0 && a>>min(pos+n-1, width-1)&1 != 0 {
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
	return in.t.store(r)
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
