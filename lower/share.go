package lower

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// Which elements a thread's part of a partitioned tensor has is not followed. Of two parts it can be known that they are the
// same: the same slice of the same tiled copy partitioned the same view. And that no barrier of less than several warps can
// order who writes a tile with who reads it: where each of its elements is read by several warps.

// dealing is a way to divide a view among threads: the tiled copy, what is added to a thread's index to have its slice of it,
// and the view.
type dealing struct {
	by, how, view string
	ahead         int64
}

// sliceOf is tiled_copy.get_slice(thread): the tiled copy, and whose part is meant.
func sliceOf(x, thread value.Value) value.Value {
	o, ok := x.(*value.Object)
	if !ok || atomKind(o) == "" || thread == nil {
		return x
	}
	out := *o
	out.Fields = maps.Clone(o.Fields)
	out.Fields["slice"], out.Fields["sliced"] = thread, o
	return &out
}

// shareOf numbers the way in which slices of a tiled copy divide a view, 0 where it is not known which, or not shown that
// threads have parts of their own: that no two of them have the same slice, and no two slices an element in common.
func (m *machine) shareOf(by value.Value, how string, t *tensor) int {
	o, ok := by.(*value.Object)
	if !ok || t.lost || t.part || t.picked || t.split || t.block == nil {
		return 0
	}
	ahead, ok := m.ahead(o, how)
	of, known := spelledCopy(o)
	if !ok || !known || o.Fields["sliced"] == nil {
		return 0
	}
	if kind := atomKind(o); kind == "thread" || kind == "cp.async" { // a thread writes what it reads
		how = ""
	}
	view := fmt.Sprint(t.block.Name, " ", t.name, " ", value.Canonical(t.shape), " ", value.CanonicalType(t.dtype))
	if t.steps != nil {
		view += value.Canonical(t.steps) + value.Canonical(t.origin)
	}
	return m.in.share(dealing{of, how, view, ahead})
}

// share numbers a way to divide a view.
func (in *instance) share(d dealing) int {
	if in.shares == nil {
		in.shares = map[dealing]int{}
	}
	if in.shares[d] == 0 {
		in.shares[d] = len(in.shares) + 1
	}
	return in.shares[d]
}

// ahead is by how much the number of the slice that a thread has is ahead of the thread's index, where that is the same for
// all of them and there are as many slices.
func (m *machine) ahead(o *value.Object, how string) (int64, bool) {
	slices, ok := m.settle(value.FirstOf(o.Fields["slice"], value.Data{})).(value.Lanes)
	if n, is := m.settle(value.FirstOf(o.Fields["slice"], value.Data{})).(value.Int); is && len(m.threads) == 1 {
		slices, ok = value.Lanes{int64(n)}, true
	}
	size, known := m.settle(value.FirstOf(partsOfCopy(o, value.Text(strings.TrimPrefix(how, "partition_"))), value.Data{})).(value.Int)
	if !ok || !known {
		return 0, false
	}
	for i, s := range slices {
		if s < 0 || s >= int64(size) || s-m.threads[i] != slices[0]-m.threads[0] {
			return 0, false
		}
	}
	return slices[0] - m.threads[0], true
}

// partsOfCopy is the number of slices of a tiled copy of which no two have an element in common, on its source or destination side
// where these are not alike; nil where that is not shown: the layout of its threads has to be a bijection.
func partsOfCopy(o *value.Object, side value.Value) value.Value {
	if mma, ok := o.Fields["mma"].(*tiledMMA); ok {
		if letter := o.Fields["operand"]; letter == value.Text("C") || letter == value.Text("D") || letter == value.Text("S") {
			return mma.threads() // every element of an accumulator is in one register (PTX ISA 9.7.14.5 and 9.7.15.5)
		}
		return nil
	}
	if of, ok := o.Fields["like"].(*value.Object); ok {
		return partsOfCopy(of, o.Fields["operand"])
	}
	if o.Fields["tmem"] != nil {
		if side != o.Fields["registers"] {
			return nil // all lanes of a warp have all of what it reaches of tensor memory
		}
		return value.FirstOf(o.Fields["size"], value.Int(tmemThreads)) // each register of a thread is one cell (PTX ISA 9.7.16.2.3)
	}
	thr := o.Fields["thr"]
	if thr == nil {
		return nil
	}
	type mode struct{ extent, step value.Int }
	var ms []mode
	shape, steps := flatten(shapeOf(thr)), flatten(stridesOf(thr))
	if len(shape) != len(steps) {
		return nil
	}
	for i := range shape {
		n, ok1 := shape[i].(value.Int)
		s, ok2 := steps[i].(value.Int)
		if !ok1 || !ok2 {
			return nil
		}
		if n > 1 {
			ms = append(ms, mode{n, s})
		}
	}
	slices.SortFunc(ms, func(a, b mode) int { return int(a.step - b.step) })
	size := value.Int(1)
	for _, e := range ms {
		if e.step != size {
			return nil
		}
		size *= e.extent
	}
	return size
}

// spelledCopy is what tells tiled copies apart that divide a view in other ways, as far as all of it is known.
func spelledCopy(o *value.Object) (string, bool) {
	out := ""
	for _, name := range []string{"kind", "class", "bits", "dtype", "tiler_mn", "thr", "val", "made", "operand"} {
		f := o.Fields[name]
		if l, ok := f.(*layout); ok {
			f = tuple(l.shape, l.strides())
		}
		if value.IsData(f) && (name == "thr" || name == "val" || name == "tiler_mn" || name == "made") {
			return "", false
		}
		out += name + "=" + value.Canonical(value.FirstOf(f, value.None{})) + " "
	}
	if mma, ok := o.Fields["mma"].(*tiledMMA); ok {
		out += mma.kind + value.Canonical(tuple(value.FirstOf(mma.shape, value.None{}), value.FirstOf(shapeOf(mma.atoms), value.None{}), value.FirstOf(mma.permutation, value.None{}), mma.ctas))
		return out, !value.IsData(mma.shape)
	}
	if like, ok := o.Fields["like"].(*value.Object); ok {
		of, known := spelledCopy(like)
		return out + "like " + of, known
	}
	return out, true
}

// copyAs is a copy of an operand of a tiled multiplication, made of an atom: make_tiled_copy_A and its like.
func copyAs(atom, mma value.Value, short string) value.Value {
	c, ok := atom.(*value.Object)
	if !ok || atomKind(c) == "" {
		c = copyAtom("thread")
	}
	out := *c
	out.Fields = maps.Clone(c.Fields)
	operand := strings.TrimSuffix(short, "_atom")
	operand = operand[len(operand)-1:]
	switch of := mma.(type) {
	case *tiledMMA:
		out.Fields["wide"] = value.Bool(of.acrossWarps(operand[0]))
		out.Fields["mma"], out.Fields["operand"] = of, value.Text(operand)
	case *value.Object: // a tiled copy whose threads and values this one has
		if atomKind(of) != "" {
			out.Fields["like"], out.Fields["operand"] = of, value.Text(operand)
		}
	}
	return &out
}

// sharedOperand reports whether a tiled copy brings each element of a tile to several warps.
func sharedOperand(by value.Value) bool {
	o, ok := by.(*value.Object)
	return ok && o.Fields["wide"] == value.Int(1)
}

// acrossWarps reports whether each element of an operand goes to several warps: to those side by side along the mode
// of the multiplication that the operand does not have (of A along N, of B along M).
func (mma *tiledMMA) acrossWarps(operand byte) bool {
	along := map[byte]int{'A': 1, 'B': 0}
	mode, ok := along[operand]
	if !ok || mma.kind != "warp" || mma.atoms == nil {
		return false
	}
	n, ok := product(part(shapeOf(mma.atoms), mode)).(value.Int)
	return ok && n > 1
}
