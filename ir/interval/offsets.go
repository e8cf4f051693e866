package interval

import (
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/ir"
)

// offsets are the buffers of global memory of which a kernel reads a number and the next one, which it does not write, by the bytes of a number: where the parts of something begin, as the rows of a sparse matrix
// do. These go up: a part ends where the next one begins.
func (a *analysis) offsets() map[int64]int64 {
	out := map[int64]int64{}
	first := map[string]map[int64]bool{} // by what the address is a sum of, but for the constant
	for k := range a.kernel.Insts {
		in := &a.kernel.Insts[k]
		if in.Op != ir.Load || in.Space != ir.Global || in.Type.Data || in.Extra != nil || in.Size != 4 && in.Size != 8 {
			continue
		}
		f := a.kernel.Affine().Of(int32(k), in.A)
		if slices.ContainsFunc(f.Terms, func(t ir.Term) bool { return t.Atom == 0 }) {
			continue
		}
		sum := map[int32]int64{}
		at := in.Offset + a.widened(&f, 1, sum, 0)
		var terms []ir.Term
		for _, atom := range slices.Sorted(maps.Keys(sum)) {
			terms = append(terms, ir.Term{Atom: atom, By: sum[atom]})
		}
		of := a.kernel.Affine().Text(&ir.Form{Terms: terms, Bits: f.Bits})
		if first[of] == nil {
			first[of] = map[int64]bool{}
		}
		first[of][at] = true
		size := int64(in.Size)
		if !first[of][at-size] && !first[of][at+size] {
			continue
		}
		if names := a.pointersOf(in); len(names) == 1 {
			for _, p := range a.kernel.Given() {
				if p.Pointer && p.Called() == names[0] {
					out[a.buffers[p.Register]] = size
				}
			}
		}
	}
	return out
}

// widened adds a multiple of a form to a sum, and gives that of its constant: numbers that are widened are taken not to have begun again.
func (a *analysis) widened(f *ir.Form, by int64, sum map[int32]int64, depth int) int64 {
	out := f.Const * by
	for _, t := range f.Terms {
		if t.Atom > 0 && depth < maxWidened {
			if v := &a.ssa.Values[t.Atom]; v.Kind == ir.Defined && a.kernel.Insts[v.At].Op == ir.Convert && a.kernel.Insts[v.At].Guard < 0 && a.kernel.Insts[v.At].Type.Bits == 32 && a.kernel.Insts[v.At].A.Reg >= 0 {
				inner := a.kernel.Affine().Of(v.At, a.kernel.Insts[v.At].A)
				out += a.widened(&inner, by*t.By, sum, depth+1)
				continue
			}
		}
		sum[t.Atom] += by * t.By
	}
	return out
}

// maxWidened bounds how often one number is.
const maxWidened = 4

// Parts that offsets are chosen for: a CTA goes through most of the small ones at once, and through the large ones in several rounds.
const (
	smallPart = 40
	largePart = 640
)

// offset is the number at a place of such a buffer.
func (s *sample) offset(at, size int64) int64 {
	n := at >> bufferBits
	h := scatter(s.seed, uint64(n)+4000)
	step := 1 + int64(h>>40%smallPart)
	if h>>30%2 == 0 {
		step = 1 + int64(h>>40%largePart)
	}
	return at&(1<<bufferBits-1)/size*step + int64(scatter(s.seed, uint64(at))>>40%uint64(step))
}
