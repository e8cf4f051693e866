package thread

import "github.com/fencepost-dev/fencepost/ir"

// value is what a register, or a predicate, holds. Pointers that the kernel is given are known numbers in windows of their own, above
// those of the generic address space.
type value struct {
	n   int64
	tag tag
}

// tag says what is known of a value: low byte 1, its number is; 0, nothing; more, it would be if the object of that number, less 2,
// were followed. The high byte is the object that it points to where its number is not known, 0 if that is not known either.
type tag uint16

const isKnown tag = 1

func (v value) known() bool { return v.tag&0xff == isKnown }

// from is the object whose memory would say what the value is; 0: none.
func (v value) from() int { return max(0, int(v.tag&0xff)-2) }

func integer(n int64) value { return value{n, isKnown} }

func defined(n int64, ok bool) value {
	if ok {
		return integer(n)
	}
	return value{}
}

func truth(b bool) value {
	if b {
		return integer(1)
	}
	return integer(0)
}

// readFrom is what is known of what an object holds that is not followed.
func readFrom(o int) value { return value{tag: tag(o) + 2} }

// windows are those of pointers, in the upper bits: those of the generic address space are below.
const (
	windows = 8
	middle  = int64(1) << (ir.WindowBits - 1)
)

func pointer(o int) value { return integer(int64(windows+o)<<ir.WindowBits | middle) }

// pointee is the object of a known pointer and the place in it; of another number 0.
func pointee(n int64) (o int, at int64) {
	if o = int(n>>ir.WindowBits) - windows; o < firstPointer || o >= firstPointer+maxObjects {
		return nowhere, n
	}
	return o, n&(1<<ir.WindowBits-1) - middle
}

// object is what a value points to, as far as that is known.
func (v value) object() int {
	if !v.known() {
		return int(v.tag >> 8)
	}
	switch v.n >> ir.WindowBits << ir.WindowBits {
	case ir.SharedWindow:
		return shared
	case ir.LocalWindow:
		return local
	case ir.ConstWindow:
		return constant
	}
	o, _ := pointee(v.n)
	return o
}

// unknown is a value made of others.
func unknown(of ...value) value {
	out := isKnown
	for _, v := range of {
		if t := v.tag & 0xff; t == 0 || out == 0 {
			out = 0
		} else {
			out = max(out, t)
		}
	}
	if out == isKnown {
		out = 0
	}
	return value{tag: out}
}

// either is one of two values, as a third one says.
func either(a, b, which value) value {
	if a == b {
		return a
	}
	out := unknown(a, b, which)
	if o := a.object(); o == b.object() {
		out.tag |= tag(o) << 8
	}
	return out
}

// compute is the result of arithmetic. Addresses stay addresses of their objects; what else is made of them depends on where things
// are in memory.
func compute(in *ir.Inst, a, b, c, d value) value {
	all := []value{a}
	for k, o := range []ir.Operand{in.B, in.C} {
		if o != ir.None {
			all = append(all, []value{b, c}[k])
		}
	}
	known, pointers := d.known(), 0
	for _, v := range all {
		known = known && v.known()
		if o, _ := pointee(v.n); v.known() && o != nowhere {
			pointers++
		}
	}
	if known && pointers == 0 {
		return defined(in.Compute(a.n, b.n, c.n, d.n))
	}
	base, rest := a, all[1:]
	switch in.Op {
	case ir.Move:
		return a
	case ir.Convert:
	case ir.Add:
		if b.object() != nowhere {
			base, rest = b, []value{a}
		}
	case ir.Sub:
		if known && pointers == 2 && a.object() == b.object() { // how far apart they are
			return defined(in.Compute(a.n, b.n, 0, 0))
		}
	case ir.Mad, ir.MadWide:
		base, rest = c, []value{a, b}
	default:
		return unknown(append(all, d)...)
	}
	o := base.object()
	for _, v := range rest {
		if v.object() != nowhere {
			o = nowhere
		}
	}
	if o == nowhere || in.Result.Bits != 64 || in.Op == ir.Convert && in.Type.Bits != 64 {
		return unknown(all...)
	}
	if n, ok := in.Compute(a.n, b.n, c.n, d.n); known && ok {
		if to, _ := pointee(n); to == o {
			return integer(n)
		}
	}
	out := unknown(all...)
	out.tag |= tag(o) << 8
	return out
}

// compare is a comparison of two values in a type. Where objects are in memory is not known, and what is read as 64 bits need be no pointer.
func compare(in *ir.Inst, a, b value) value {
	x, _ := pointee(a.n)
	y, _ := pointee(b.n)
	if !a.known() || !b.known() || x != y || x != nowhere && in.Type.Bits != 64 {
		return unknown(a, b)
	}
	return truth(in.Type.Holds(in.Mode, in.Type.Bring(a.n), in.Type.Bring(b.n)))
}

// join is how setp and the instructions of predicates combine two.
func join(how uint8, a, b value) value {
	both, decides := a.known() && b.known(), func(n int64) bool { return a == integer(n) || b == integer(n) }
	switch how {
	case ir.JoinAnd:
		if decides(0) {
			return integer(0)
		} else if both {
			return integer(a.n & b.n)
		}
	case ir.JoinOr:
		if decides(1) {
			return integer(1)
		} else if both {
			return integer(a.n | b.n)
		}
	case ir.JoinXor:
		if both {
			return integer(a.n ^ b.n)
		}
	case ir.JoinNot:
		return not(a)
	default:
		return a
	}
	return unknown(a, b)
}

func not(v value) value {
	if v.known() {
		return integer(1 - v.n)
	}
	return v
}
