package ir

import (
	"math"
	"math/bits"
	"slices"
	"strings"
)

// mostThreads is how many a CTA may be stated to have, one more than any number of a thread.
const mostThreads = 1 << 14

// given is a value that nothing sets: a special register (PTX ISA 10), or what the launch gives.
func (a *Affine) given(n int32) Form {
	f := a.atom(n)
	name := a.read[a.s.Values[n].Of]
	base, axis, _ := strings.Cut(name, ".")
	extent := int64(mostThreads)
	if all := a.c.Directives["reqntid"]; all[0] > 0 && axis != "" {
		extent = int64(all[max(0, strings.Index("xyz", axis))])
	} else if all := a.c.Directives["maxntid"]; all[0] > 0 { // their product counts (PTX ISA 11.4)
		extent = int64(all[0]) * int64(all[1]) * int64(all[2])
	}
	switch base {
	case "%tid":
		return f.limited(0, extent-1)
	case "%ntid":
		return f.limited(1, extent)
	case "%laneid":
		return f.limited(0, Lanes-1)
	case "%warpid":
		return f.limited(0, mostThreads/Lanes-1)
	case "%nwarpid":
		return f.limited(1, mostThreads/Lanes)
	case "%ctaid", "%nctaid", "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid", "%cluster_ctarank", "%cluster_nctarank", "%smid", "%nsmid", "%dynamic_smem_size", "%total_smem_size":
		return f.limited(0, math.MaxInt32)
	}
	return f
}

// computed is the result of an instruction, as [Inst.Compute] has it.
func (a *Affine) computed(n int32, v *Value) Form {
	in := &a.c.Insts[v.At]
	own := a.atom(n)
	if in.D != v.Of || in.Op.form().d != Register {
		if in.Op == Load {
			return own.limited(in.Type.either())
		}
		return own
	}
	if in.Type.Data && in.Op != Move && in.Op != Load && in.Op != Select {
		return own
	}
	x, y, z := a.Of(v.At, in.A), a.Of(v.At, in.B), a.Of(v.At, in.C)
	t := in.Type
	switch in.Op {
	case Move:
		return x // what does not fit the register goes where it is stored
	case Add:
		return a.stored(t, x.plus(y, 1))
	case Sub:
		return a.stored(t, x.plus(y, -1))
	case Neg:
		zero := constantForm(0)
		return a.stored(t, zero.plus(x, -1))
	case Not:
		all := constantForm(-1)
		return a.stored(t, all.plus(x, -1))
	case Mul, Mad, MulWide, MadWide:
		return a.product(in, own, x, y, z)
	case Shl:
		if y.isConstant() && y.Const >= 0 && y.Const < int64(min(t.Bits, 63)) {
			zero := constantForm(0)
			return a.stored(t, zero.plus(x, 1<<y.Const))
		}
	case Convert:
		return a.converted(in, own, x)
	case Or:
		for range 2 { // as compilers write sums of what has no bit in common
			if n := x.zeros(); y.Low >= 0 && y.High < 1<<min(n, 62) {
				return a.stored(t, x.plus(y, 1))
			}
			x, y = y, x
		}
	case Select:
		return a.either(n, []Form{x, y})
	case Load:
		return own.limited(in.Type.either())
	}
	return a.bounded(in, own, x, y)
}

// stored is a sum as a register of the type keeps it.
func (a *Affine) stored(t Type, f Form) Form {
	if t.Bits < 64 {
		low, high := t.signed().span()
		if t.Bits < 8 || !f.within(low, high) {
			f.Bits, f.Low, f.High = min(f.Bits, t.Bits), low, high
		}
	}
	return f
}

// brought is an operand as a type has it; ok is false where that may be another number.
func (a *Affine) brought(t Type, f Form) (Form, bool) {
	low, high := t.span()
	if t.Bits >= 64 || t.Bits >= 8 && f.within(low, high) {
		return f, true
	}
	f.Low, f.High = low, high
	return f, false
}

// product has a constant factor; the wide ones multiply numbers, not what is left of them.
func (a *Affine) product(in *Inst, own, x, y, z Form) Form {
	t, ok := in.Type, true
	if in.Op == MulWide || in.Op == MadWide {
		var ok2 bool
		x, ok = a.brought(t, x)
		y, ok2 = a.brought(t, y)
		ok, t = ok && ok2, in.Result
	}
	if x.isConstant() {
		x, y = y, x
	}
	f := constantForm(0)
	if in.Op == Mad || in.Op == MadWide {
		f = z
	}
	if !ok || !y.isConstant() {
		own = own.limited(t.signed().span())
		low, high := timesSpan(&x, &y)
		if low, high = plusSpan(low, high, f.Low, f.High, 1); ok && t.Bits >= 8 && own.Low <= low && high <= own.High {
			own = own.limited(low, high)
		}
		return own
	}
	return a.stored(t, f.plus(x, y.Const))
}

// timesSpan is from which number to which the product of two goes; without bound where it may not fit.
func timesSpan(x, y *Form) (low, high int64) {
	const most = math.MaxInt32 // so that no product of two is too large
	if x.Low < -most || x.High > most || y.Low < -most || y.High > most {
		return math.MinInt64, math.MaxInt64
	}
	ends := []int64{x.Low * y.Low, x.Low * y.High, x.High * y.Low, x.High * y.High}
	return slices.Min(ends), slices.Max(ends)
}

// converted is a number that keeps its value, or one of fewer bits.
func (a *Affine) converted(in *Inst, own, x Form) Form {
	f, same := a.brought(in.Type, x)
	to := in.Result
	low, high := to.span()
	if to.Bits == 32 { // kept with its sign
		low, high = math.MinInt32, math.MaxInt32
	}
	switch {
	case same && f.within(low, high):
		return f
	case f.within(low, high):
		return own.limited(f.Low, f.High)
	case to.Bits == 32 && in.Type.Bits >= 32:
		x.Bits, x.Low, x.High = min(x.Bits, 32), low, high
		return x
	}
	return own.limited(in.Result.either())
}

// zeros is how many low bits of a value are 0 for sure.
func (f *Form) zeros() int {
	n := min(int(f.Bits), bits.TrailingZeros64(uint64(f.Const)))
	for _, t := range f.Terms {
		n = min(n, bits.TrailingZeros64(uint64(t.By)))
	}
	return n
}

// bounded says of other results at least from which number to which they go.
func (a *Affine) bounded(in *Inst, own, x, y Form) Form {
	t := in.Type
	switch in.Op {
	case Set:
		return own.limited(-1, 0)
	case Popc, Clz:
		return own.limited(0, 64)
	}
	if !in.Op.Does(Integer) || t.Bits < 8 {
		return own
	}
	own = own.limited(t.signed().span())
	limit := func(low, high int64) { // of what is kept with its sign
		if least, most := t.signed().span(); low >= least && high <= most {
			own = own.limited(low, high)
		}
	}
	u, ok1 := a.brought(t, x)
	w, ok2 := a.brought(t, y)
	switch in.Op {
	case And:
		if y.Low >= 0 && y.High <= own.High {
			if ones := y.Const; y.isConstant() && ones&(ones+1) == 0 && x.Low >= 0 && x.High <= ones {
				return x
			}
			own = own.limited(0, y.High)
		}
		if x.Low >= 0 && x.High <= own.High {
			own = own.limited(0, x.High)
		}
	case Or, Xor:
		if most := max(x.High, y.High); x.Low >= 0 && y.Low >= 0 && most <= own.High {
			own = own.limited(0, 1<<bits.Len64(uint64(most))-1)
		}
	case Shr:
		if !y.isConstant() || y.Const < 0 || y.Const >= int64(t.Bits) || t.Bits == 64 && !t.Signed && x.Low < 0 {
			break
		}
		if f := u; ok1 && f.Bits == 64 && f.zeros() >= int(y.Const) { // nothing is lost
			g := Form{Const: f.Const >> y.Const, Bits: 64, Low: f.Low >> y.Const, High: f.High >> y.Const}
			for _, t := range f.Terms {
				g.Terms = append(g.Terms, Term{t.Atom, t.By >> y.Const})
			}
			if low, high := a.numbers(&f, nil); low > math.MinInt64 || high < math.MaxInt64 {
				return g
			}
		}
		limit(u.Low>>y.Const, u.High>>y.Const)
	case Div:
		if y.isConstant() && y.Const > 0 && ok2 && u.Low >= 0 {
			limit(u.Low/y.Const, u.High/y.Const)
		}
	case Rem:
		if y.isConstant() && y.Const > 0 && ok2 {
			if own = own.limited(-y.Const+1, y.Const-1); u.Low >= 0 {
				own = own.limited(0, u.High)
			}
		}
	case Min, Max:
		if !ok1 || !ok2 || t.Bits == 64 && !t.Signed && (x.Low < 0 || y.Low < 0) {
			break
		}
		low, high := min(u.Low, w.Low), min(u.High, w.High)
		if in.Op == Max {
			low, high = max(u.Low, w.Low), max(u.High, w.High)
		}
		limit(low, high)
	case Bfe:
		if c := in.C; !t.Signed && c.Reg == -1 && c.Imm >= 0 && c.Imm < int64(t.Bits) {
			own = own.limited(0, 1<<c.Imm-1)
		}
	}
	return own
}
