package interval

import (
	"slices"

	"github.com/fencepost-dev/fencepost/ir"
)

// maxBetween bounds the instructions between two loads that are looked through.
const maxBetween = 2000

// earlier is the first load of the same bytes of shared memory, on all ways to another one, since which nothing can have changed these; the load itself where there is none.
func (a *analysis) earlier(k int32) int32 {
	if m, known := a.loads[k]; known {
		return m
	}
	a.loads[k] = k
	in, at := &a.kernel.Insts[k], a.address(k)
	for b, last := a.flow.BlockOf(k), k-1; b >= 0 && at != ""; {
		for m := last; m >= a.flow.Start(b); m-- {
			o := &a.kernel.Insts[m]
			if o.Op == ir.Load && o.Space == in.Space && o.Size == in.Size && o.Type == in.Type && o.Offset == in.Offset && o.Guard < 0 && a.address(m) == at {
				if a.kept(m, k) {
					a.loads[k] = a.earlier(m)
				}
				return a.loads[k]
			}
			if a.changes(m, k) { // on all ways
				return k
			}
		}
		if b = a.flow.Above(b); b >= 0 {
			last = a.flow.Last(b)
		}
	}
	return k
}

// address says how the address of an access is computed.
func (a *analysis) address(k int32) string {
	text, known := a.addresses[k]
	if !known {
		all := a.kernel.Affine()
		if f := all.Of(k, a.kernel.Insts[k].A); !slices.ContainsFunc(f.Terms, func(t ir.Term) bool { return t.Atom == 0 }) {
			text = all.Text(&ir.Form{Terms: f.Terms, Const: f.Const, Bits: f.Bits})
		}
		a.addresses[k] = text
	}
	return text
}

// kept reports whether no way from one load to another one, which do not come by the first again, may change what is loaded.
func (a *analysis) kept(from, to int32) bool {
	met, todo, left := map[int32]bool{}, []int32{a.flow.BlockOf(to)}, maxBetween
	for first := true; len(todo) > 0; first = false {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		k := a.flow.Last(b)
		if first {
			k = to - 1
		}
		for ; k >= a.flow.Start(b) && k != from; k-- {
			if left--; left < 0 || a.changes(k, to) {
				return false
			}
		}
		if k == from {
			continue
		}
		for _, p := range a.flow.Before(b) {
			if !met[p] {
				met[p] = true
				todo = append(todo, p)
			}
		}
	}
	return true
}

// changes reports whether behind an instruction a load of shared memory may find something else than before: the thread may write there, or see what others have written.
func (a *analysis) changes(k, load int32) bool {
	in := &a.kernel.Insts[k]
	switch {
	case in.Op == ir.Call:
		return true
	case a.ends(k, in), in.Op == ir.BarrierWarp, in.Flags&ir.Meets != 0:
		return a.rewritten(k, load)
	}
	return a.overwrites(k, load)
}

// rewritten reports whether something that is loaded may be written behind an instruction, or beside it by those who go another way: what was written before it was written by all.
func (a *analysis) rewritten(k, load int32) bool {
	own := a.flow.BlockOf(k)
	behind, before := a.behind.of(own, a.flow.Next), a.before.of(own, a.flow.Before)
	for n := range a.kernel.Insts {
		m := int32(n)
		if !a.overwrites(m, load) && a.kernel.Insts[m].Op != ir.Call {
			continue
		}
		if b := a.flow.BlockOf(m); behind[b] || b == own && m > k || !before[b] && b != own {
			return true
		}
	}
	return false
}

// closure is, by block, all those that it leads to in one direction.
type closure map[int32]map[int32]bool

func (known closure) of(from int32, next func(int32) []int32) map[int32]bool {
	out, is := known[from]
	if is {
		return out
	}
	out = map[int32]bool{}
	for todo := []int32{from}; len(todo) > 0; {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, n := range next(b) {
			if !out[n] {
				out[n] = true
				todo = append(todo, n)
			}
		}
	}
	known[from] = out
	return out
}

// overwrites reports whether an instruction may write what is loaded. What is not followed is taken not to: it is one of many places, and that two loads differ would have to be seen.
func (a *analysis) overwrites(k, load int32) bool {
	in := &a.kernel.Insts[k]
	switch {
	case !in.Op.Does(ir.Writes), in.Op == ir.Outside:
		return false
	case in.Op != ir.Store && in.Op != ir.Atomic:
		return true
	case in.Space == ir.Global || in.Space == ir.Local:
		return false
	}
	one, other := a.kernel.ObjectsOf(in), a.kernel.ObjectsOf(&a.kernel.Insts[load])
	switch {
	case len(one) == 0 && in.Space == ir.Generic: // what memory leads to
		return false
	case len(one) > 0 && len(other) > 0 && !slices.ContainsFunc(one, func(v *ir.Variable) bool { return slices.Contains(other, v) }):
		return false
	}
	low, high, known := a.span(k)
	from, to, also := a.span(load)
	return !known || !also || low < to && from < high
}

// span is where an access is, whoever makes it; known is false where that is anywhere.
func (a *analysis) span(k int32) (low, high int64, known bool) {
	for _, t := range a.kernel.TargetsOf(k) {
		if t.Operand == 0 && t.Ranged {
			return t.Low, t.High, true
		}
	}
	return 0, 0, false
}
