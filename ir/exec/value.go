package exec

import "github.com/fencepost-dev/fencepost/ir"

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
	v   [ir.Lanes]int64
	sym [ir.Lanes]symbol
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

// alike is the known integer that a value is in all lanes of a mask; ok is false where there is none: what a lane holds that has exited says nothing.
func (v *value) alike(mask uint32) (n int64, ok bool) {
	if v.uniform() || mask == 0 {
		return v.base, v.uniform()
	}
	_, n = v.lane(trailing(mask))
	for rest := mask; rest != 0; rest &= rest - 1 {
		if sym, m := v.lane(trailing(rest)); sym != known || m != n {
			return 0, false
		}
	}
	return n, true
}

// affine reports a value that is known as base+l*stride.
func (v *value) affine() bool { return v.spread == nil && v.sym == known }

// compress makes an affine value of lanes that are in affine relation, as far as the mask goes; ok says that they are.
func (s *spread) compress(mask uint32) (value, bool) {
	first, second := -1, -1
	for l := 0; l < ir.Lanes; l++ {
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
	for l := second; l < ir.Lanes; l++ {
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

// bring makes a known affine value one of the type's width in every lane; ok is false if its lanes then are not affine.
func (v *value) bring(t ir.Type) (value, bool) {
	if t.Bits >= 64 {
		return *v, true
	}
	out := value{base: t.Bring(v.base), stride: t.Store(v.stride)}
	if out.stride == 0 {
		return out, true
	}
	last := out.base + (ir.Lanes-1)*out.stride
	return out, t.Bring(last) == last
}
