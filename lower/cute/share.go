package cute

import (
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// Which elements a thread's part of a partitioned tensor has is not followed. Of two parts it can be known that they are the
// same: the same slice of the same tiled copy partitioned the same view. And that no barrier of less than several warps can
// order who writes a tile with who reads it: where each of its elements is read by several warps.

// Partitioning is a way to divide a view among threads: the tiled copy, what is added to a thread's index to have its slice of it,
// and the view.
type Partitioning struct {
	By, How, View string
	Ahead         int64
}

// SliceOf is tiled_copy.get_slice(thread): the tiled copy, and whose part is meant.
func SliceOf(x, thread value.Value) value.Value {
	o, ok := x.(*value.Object)
	if !ok || AtomKind(o) == "" || thread == nil {
		return x
	}
	out := *o
	out.Fields = maps.Clone(o.Fields)
	out.Fields["slice"], out.Fields["sliced"] = thread, o
	return &out
}

// PartsOfCopy is the number of slices of a tiled copy of which no two have an element in common, on its source or destination side
// where these are not alike; nil where that is not shown: the layout of its threads has to be a bijection.
func PartsOfCopy(o *value.Object, side value.Value) value.Value {
	if mma, ok := o.Fields["mma"].(*TiledMMA); ok {
		if letter := o.Fields["operand"]; letter == value.Text("C") || letter == value.Text("D") || letter == value.Text("S") {
			return mma.threads() // every element of an accumulator is in one register (PTX ISA 9.7.14.5 and 9.7.15.5)
		}
		return nil
	}
	if of, ok := o.Fields["like"].(*value.Object); ok {
		return PartsOfCopy(of, o.Fields["operand"])
	}
	if o.Fields["tmem"] != nil {
		if side != o.Fields["registers"] {
			return nil // all lanes of a warp have all of what it reaches of tensor memory
		}
		return value.FirstOf(o.Fields["size"], value.Int(tmemThreads)) // each register of a thread is one cell (PTX ISA 9.7.16.2.3)
	}
	if tv, ok := o.Fields["tv"].(*Layout); ok {
		if yes, _ := injective(tv); yes {
			return o.Fields["size"]
		}
		return nil
	}
	thr := o.Fields["thr"]
	if thr == nil {
		return nil
	}
	type mode struct{ extent, step value.Int }
	var ms []mode
	shape, steps := Flatten(ShapeOf(thr)), Flatten(StridesOf(thr))
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

// SpelledCopy is what tells tiled copies apart that divide a view in other ways, as far as all of it is known.
func SpelledCopy(o *value.Object) (string, bool) {
	out := ""
	for _, name := range []string{"kind", "class", "bits", "dtype", "tiler_mn", "thr", "val", "tv", "made", "operand"} {
		f := value.FirstOf(o.Fields[name], value.None{})
		whole := spelledWhole(f)
		if whole == "" && (name == "thr" || name == "val" || name == "tiler_mn" || name == "tv" || name == "made") {
			return "", false
		}
		out += name + "=" + whole + " "
	}
	if mma, ok := o.Fields["mma"].(*TiledMMA); ok {
		out += mma.Kind + value.Canonical(Tuple(value.FirstOf(mma.Shape, value.None{}), value.FirstOf(ShapeOf(mma.Atoms), value.None{}), value.FirstOf(mma.Permutation, value.None{}), mma.Ctas))
		return out, !value.IsData(mma.Shape)
	}
	if like, ok := o.Fields["like"].(*value.Object); ok {
		of, known := SpelledCopy(like)
		return out + "like " + of, known
	}
	return out, true
}

// CopyAs is a copy of an operand of a tiled multiplication, made of an atom: make_tiled_copy_A and its like.
func CopyAs(atom, mma value.Value, short string) value.Value {
	c, ok := atom.(*value.Object)
	if !ok || AtomKind(c) == "" {
		c = CopyAtom("thread")
	}
	out := *c
	out.Fields = maps.Clone(c.Fields)
	operand := strings.TrimSuffix(short, "_atom")
	operand = operand[len(operand)-1:]
	switch of := mma.(type) {
	case *TiledMMA:
		out.Fields["wide"] = value.Bool(of.AcrossWarps(operand[0]))
		out.Fields["mma"], out.Fields["operand"] = of, value.Text(operand)
	case *value.Object: // a tiled copy whose threads and values this one has
		if AtomKind(of) != "" {
			out.Fields["like"], out.Fields["operand"] = of, value.Text(operand)
		}
	}
	return &out
}

// CopyBy is make_tiled_copy(atom, layout_tv, tiler_mn): the layout gives the element of a tile that a thread has as a value,
// each of the tile for one of them.
func CopyBy(atom, tv, tiler value.Value) value.Value {
	c, ok := CopyAs(atom, nil, "make_tiled_copy").(*value.Object)
	l, known := tv.(*Layout)
	tile, tuple := tiler.(*value.Sequence)
	if !ok || !known || !tuple || len(Modes(l.Shape)) != 2 || l.Stride == nil {
		return c
	}
	size, values := Product(Part(l.Shape, 0)), Product(Part(l.Shape, 1))
	n, ok1 := value.Binary("*", size, values).(value.Int)
	of, ok2 := Product(tile).(value.Int)
	if !ok1 || !ok2 || n != of {
		return c
	}
	c.Fields["size"], c.Fields["values"], c.Fields["tiler_mn"] = size, values, tile
	c.Fields["tv"], c.Fields["layout_tv"], c.Fields["layout_tv_tiled"] = l, l, l
	return c
}

// injective reports whether no two coordinates of a layout are of one element: each stride is more than all smaller ones lead to.
// It is known of known extents and strides.
func injective(l *Layout) (yes, known bool) {
	type mode struct{ extent, step value.Int }
	shape, steps := Flatten(l.Shape), Flatten(l.Strides())
	if len(shape) != len(steps) {
		return false, false
	}
	var ms []mode
	for i := range shape {
		n, ok1 := shape[i].(value.Int)
		s, ok2 := steps[i].(value.Int)
		if !ok1 || !ok2 || n < 1 || s < 0 {
			return false, false
		}
		if n > 1 {
			ms = append(ms, mode{n, s})
		}
	}
	slices.SortFunc(ms, func(a, b mode) int { return int(a.step - b.step) })
	last := value.Int(0)
	for _, e := range ms {
		if e.step <= last {
			return false, true
		}
		last += (e.extent - 1) * e.step
	}
	return true, true
}

// folds reports whether coordinates of a layout may be of one element, as those of a mode are whose stride is zero.
func folds(l *Layout) bool {
	if yes, known := injective(l); known {
		return !yes
	}
	shape, steps := Flatten(l.Shape), Flatten(l.Stride)
	return len(shape) == len(steps) && slices.ContainsFunc(steps, func(v value.Value) bool { return v == value.Value(value.Int(0)) })
}

// SharedOperand reports whether a tiled copy brings each element of a tile to several warps.
func SharedOperand(by value.Value) bool {
	o, ok := by.(*value.Object)
	return ok && o.Fields["wide"] == value.Int(1)
}

// AcrossWarps reports whether each element of an operand goes to several warps: to those side by side along the mode
// of the multiplication that the operand does not have (of A along N, of B along M).
func (mma *TiledMMA) AcrossWarps(operand byte) bool {
	along := map[byte]int{'A': 1, 'B': 0}
	mode, ok := along[operand]
	if !ok || mma.Kind != "warp" || mma.Atoms == nil {
		return false
	}
	n, ok := Product(Part(ShapeOf(mma.Atoms), mode)).(value.Int)
	return ok && n > 1
}
