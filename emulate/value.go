package emulate

import ints "github.com/fencepost-dev/fencepost/integer"

// lanes of a warp (PTX ISA 2.1).
const lanes = 32

// Symbols say how a value depends on what is not known. Symbol 0 is a known integer; unknown is anything, equal to nothing.
// Other symbols are functions: a lane's value is the function of the symbol at the lane's argument. A linear symbol adds
// its argument: what a kernel's parameter points to, at an offset.
type symbol = uint32

const (
	known   symbol = 0
	unknown symbol = 1
	linear  symbol = 1 << 31
)

// value is what a register holds in the lanes of a warp: in lane l base+l*stride, or spread[l].
type value struct {
	base, stride int64
	sym          symbol
	spread       *spread
}

// spread is a value whose lanes are in no affine relation.
type spread struct {
	v   [lanes]int64
	sym [lanes]symbol
}

func integer(n int64) value { return value{base: n} }

var top = value{sym: unknown}

func (v *value) lane(l int) (symbol, int64) {
	if v.spread != nil {
		return v.spread.sym[l], v.spread.v[l]
	}
	return v.sym, v.base + int64(l)*v.stride
}

// uniform reports a value that is the same known integer in all lanes.
func (v *value) uniform() bool { return v.spread == nil && v.sym == known && v.stride == 0 }

// affine reports a value that is known as base+l*stride.
func (v *value) affine() bool { return v.spread == nil && v.sym == known }

// compress makes an affine value of lanes that are in affine relation, as far as the mask goes; ok says that they are.
func (s *spread) compress(mask uint32) (value, bool) {
	first, second := -1, -1
	for l := 0; l < lanes; l++ {
		if mask>>l&1 == 0 {
			continue
		}
		if first < 0 {
			first = l
		} else {
			second = l
			break
		}
	}
	if first < 0 {
		return top, true
	}
	out := value{base: s.v[first], sym: s.sym[first]}
	if second < 0 {
		return out, true
	}
	d := s.v[second] - s.v[first]
	n := int64(second - first)
	if d%n != 0 {
		return out, false
	}
	out.stride = d / n
	out.base -= int64(first) * out.stride
	for l := second; l < lanes; l++ {
		if mask>>l&1 == 0 {
			continue
		}
		if s.sym[l] != out.sym || out.sym != unknown && s.v[l] != out.base+int64(l)*out.stride {
			return out, false
		}
	}
	if s.sym[second] != out.sym {
		return out, false
	}
	if out.sym == unknown {
		return top, true
	}
	return out, true
}

// typ is the type of an instruction: its bits, whether it is signed, whether it is data of no concern.
type typ struct {
	bits   uint8
	signed bool
	data   bool
}

// number is the type as package integer has it.
func (t typ) number() ints.Type { return ints.Type{Bits: t.bits, Signed: t.signed} }

// bring makes an integer of the type's width out of one congruent to it.
func (t typ) bring(n int64) int64 {
	if t.bits < 8 {
		return n
	}
	return t.number().Wrap(n)
}

// store is how a register keeps a result: sign-extended, so that affine values of negative numbers stay affine.
func (t typ) store(n int64) int64 {
	t.signed = true
	return t.bring(n)
}

// bring makes a known affine value one of the type's width in every lane; ok is false if its lanes then are not affine.
func (v *value) bring(t typ) (value, bool) {
	if t.bits >= 64 {
		return *v, true
	}
	out := value{base: t.bring(v.base), stride: t.store(v.stride)}
	if out.stride == 0 {
		return out, true
	}
	last := out.base + (lanes-1)*out.stride
	return out, t.bring(last) == last
}
