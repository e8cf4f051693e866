package interval

import (
	"slices"

	"github.com/fencepost-dev/fencepost/ir"
)

// bound is a number, the same for all threads, that what memory holds is compared with: By times the datum is the sum of these.
type bound struct {
	by  int64
	sum ir.Form
}

// maxBounds bounds those of one buffer.
const maxBounds = 8

// bounds are, by buffer, what integers of it are compared with. Numbers at random seldom lie within what a kernel looks for; those at the bounds are on either side.
func (a *analysis) bounds() map[int64][]bound {
	out := map[int64][]bound{}
	all := a.kernel.Affine()
	for k := range a.kernel.Insts {
		in := &a.kernel.Insts[k]
		if in.Op != ir.Setp || in.Type.Data {
			continue
		}
		x, y := all.Of(int32(k), in.A), all.Of(int32(k), in.B)
		sum := ir.Form{Const: x.Const - y.Const, Terms: slices.Clone(x.Terms)}
		for _, t := range y.Terms {
			sum.Terms = append(sum.Terms, ir.Term{Atom: t.Atom, By: -t.By})
		}
		load, of := int32(-1), 0
		for n, t := range sum.Terms {
			switch from := a.loadOf(t.Atom); {
			case from >= 0 && load == -1:
				load, of = from, n
			case from >= 0 || !a.everywhere(t.Atom):
				load = -2
			}
		}
		if load < 0 {
			continue
		}
		by := -sum.Terms[of].By
		sum.Terms = slices.Delete(sum.Terms, of, of+1)
		if buffer := a.bufferOf(load); buffer != 0 && by != 0 && len(out[buffer]) < maxBounds {
			out[buffer] = append(out[buffer], bound{by, sum})
		}
	}
	return out
}

// loadOf is the load of global memory that a value is what it has found; -1: it is none.
func (a *analysis) loadOf(n int32) int32 {
	for n > 0 {
		v := &a.ssa.Values[n]
		if v.Kind != ir.Defined || len(v.From) > 0 {
			return -1
		}
		switch in := &a.kernel.Insts[v.At]; {
		case in.Op == ir.Load && in.Space == ir.Global && v.Of == in.D:
			return v.At
		case (in.Op == ir.Convert || in.Op == ir.Move) && in.A.Reg >= 0:
			n = a.ssa.Read(v.At, in.A, ir.Register)
		default:
			return -1
		}
	}
	return -1
}

// everywhere reports whether a value is the same for all threads, whatever loops they are in.
func (a *analysis) everywhere(n int32) bool {
	if n <= 0 {
		return false
	}
	v := &a.ssa.Values[n]
	return a.uniform(v.Of) && (v.At < 0 || a.inmost[a.flow.BlockOf(v.At)] < 0)
}

// bufferOf is the buffer that a load accesses; 0: there is not one.
func (a *analysis) bufferOf(load int32) (out int64) {
	for _, t := range a.kernel.Affine().Of(load, a.kernel.Insts[load].A).Terms {
		if t.Atom <= 0 || t.By != 1 {
			continue
		}
		if v := &a.ssa.Values[t.Atom]; v.Kind == ir.Given && a.buffers[v.Of] != 0 {
			if out != 0 {
				return 0
			}
			out = a.buffers[v.Of]
		}
	}
	return out
}

// near are the numbers around the bounds of a buffer, in a sample.
func (s *state) near(buffer int64) []int64 {
	if out, known := s.around[buffer]; known {
		return out
	}
	s.around[buffer] = nil // what a bound is made of is not chosen by it
	var out []int64
	none := s.begun(s.kernel.Functions[0][0], 0)
	for _, b := range s.limits[buffer] {
		n := b.sum.Const
		for _, t := range b.sum.Terms {
			n += s.value(t.Atom, none).n * t.By
		}
		out = append(out, n/b.by-1, n/b.by, n/b.by+1)
	}
	s.around[buffer] = out
	return out
}
