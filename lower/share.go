package lower

import "maps"

// Which elements a thread's part of a partitioned tensor has is not followed. Of two parts it can be known that they are the
// same: the same slice of the same tiled copy partitioned the same view. And that no barrier of less than several warps can
// order who writes a tile with who reads it: where each of its elements is read by several warps.

// dealing is a way to divide a view among threads.
type dealing struct {
	by         *object // tiled copy
	slice, how string
	view       string
}

// sliceOf is tiled_copy.get_slice(thread): the tiled copy, and whose part is meant.
func sliceOf(x, thread value) value {
	o, ok := x.(*object)
	if !ok || atomKind(o) == "" || thread == nil {
		return x
	}
	out := *o
	out.fields = maps.Clone(o.fields)
	out.fields["slice"], out.fields["sliced"] = thread, o
	return &out
}

// shareOf numbers the way in which a slice of a tiled copy divides a view, 0 where it is not known which.
func (m *machine) shareOf(by value, how string, t *tensor) int {
	o, ok := by.(*object)
	if !ok || t.lost || t.part || t.picked || t.block == nil {
		return 0
	}
	of, ok := o.fields["sliced"].(*object)
	if !ok {
		return 0
	}
	if _, unknown := o.fields["slice"].(data); unknown {
		return 0
	}
	k := dealing{of, canonical(o.fields["slice"]), how, t.name + canonical(t.shape) + canonicalType(t.dtype)}
	if m.shares == nil {
		m.shares = map[dealing]int{}
	}
	if m.shares[k] == 0 {
		m.shares[k] = len(m.shares) + 1
	}
	return m.shares[k]
}

// copyAs is a copy of an operand of a tiled multiplication, made of an atom: make_tiled_copy_A and its like.
func copyAs(atom, mma value, short string) value {
	c, ok := atom.(*object)
	if !ok || atomKind(c) == "" {
		c = copyAtom("thread")
	}
	out := *c
	out.fields = maps.Clone(c.fields)
	if of, ok := mma.(*tiledMMA); ok {
		out.fields["wide"] = boolean(of.acrossWarps(short[len(short)-1]))
		out.fields["mma"], out.fields["operand"] = of, text(short[len(short)-1:])
	}
	return &out
}

// sharedOperand reports whether a tiled copy brings each element of a tile to several warps.
func sharedOperand(by value) bool {
	o, ok := by.(*object)
	return ok && o.fields["wide"] == integer(1)
}

// acrossWarps reports whether each element of an operand goes to several warps: to those side by side along the mode
// of the multiplication that the operand does not have (of A along N, of B along M).
func (mma *tiledMMA) acrossWarps(operand byte) bool {
	along := map[byte]int{'A': 1, 'B': 0}
	mode, ok := along[operand]
	if !ok || mma.kind != "warp" || mma.atoms == nil {
		return false
	}
	n, ok := product(part(shapeOf(mma.atoms), mode)).(integer)
	return ok && n > 1
}
