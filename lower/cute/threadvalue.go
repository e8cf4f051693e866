package cute

import "github.com/fencepost-dev/fencepost/lower/value"

// Which warp accesses which elements of a tile can be computed where a tiled copy says it: one made of layouts of threads and
// of values, or of an operand of a warp-level multiplication. Two ways to deal a tile out that give some element to different
// warps need a barrier of several warps between who writes and who reads.

// ThreadValueLayout is one way in which a view is dealt out to warps: the owner of each element of a part that is looked at.
type ThreadValueLayout struct{ View, Owners string }

// dealtSide is how much of a tile is looked at along both modes.
const dealtSide = 128

// owner gives, along one mode of a tile, what an index adds to the index of the thread that has an element; false where it
// is not known.
type owner func(mode int, x int64) (int64, bool)

// IndicesAlong is what the indices along a mode of a tile add to the index of the thread, nil where that is not known.
func IndicesAlong(o *value.Object, mode int, extent value.Value) []int64 {
	of := ownerOf(o)
	n, ok := Product(extent).(value.Int)
	if of == nil || !ok {
		return nil
	}
	out := make([]int64, max(0, min(int64(n), dealtSide)))
	for x := range out {
		if out[x], ok = of(mode, int64(x)); !ok {
			return nil
		}
	}
	return out
}

// ownerOf is how a tiled copy deals a tile out, nil where that is not known.
func ownerOf(o *value.Object) owner {
	if mma, ok := o.Fields["mma"].(*TiledMMA); ok {
		letter, _ := o.Fields["operand"].(value.Text)
		return mma.owner(string(letter))
	}
	thr, val := o.Fields["thr"], o.Fields["val"]
	if thr == nil || val == nil {
		return nil
	}
	shape, steps := Modes(ShapeOf(thr)), Modes(StridesOf(thr))
	values := Modes(ShapeOf(val))
	if len(shape) != len(steps) || len(shape) > 2 || len(values) > 2 {
		return nil
	}
	return func(mode int, x int64) (int64, bool) {
		each := value.Int(1)
		if mode < len(values) {
			n, ok := Product(values[mode]).(value.Int)
			if each = n; !ok || n < 1 {
				return 0, false
			}
		}
		if mode >= len(shape) {
			return 0, true
		}
		at := value.Binary("%", value.Int(x/int64(each)), Product(shape[mode]))
		n, ok := Offset(shape[mode], steps[mode], at).(value.Int)
		return int64(n), ok
	}
}

// StridesOf are the strides of a layout, of a shape those of its column-major one.
func StridesOf(v value.Value) value.Value {
	if l, ok := v.(*Layout); ok {
		return l.Strides()
	}
	return (&Layout{Shape: ShapeOf(v)}).Strides()
}

// owner is how the multiplication deals an operand of rows of M out, where no other warp has the same element. Along M the
// instructions of 16 rows go to the warps in turn, also where the tile is larger than what they take at once; along N a
// permutation may spread them, which is not followed.
func (mma *TiledMMA) owner(operand string) owner {
	rows, ok1 := Part(mma.Shape, 0).(value.Int)
	along := func(mode int) value.Int {
		n, _ := Product(Part(ShapeOf(mma.Atoms), mode)).(value.Int)
		return n
	}
	if mma.Kind != "warp" || mma.Atoms == nil || !ok1 || rows != 16 || operand != "A" && operand != "C" || along(1) != 1 || along(2) != 1 || along(0) < 1 {
		return nil
	}
	if p := Part(value.FirstOf(mma.Permutation, Tuple(value.None{})), 0); p != (value.None{}) {
		if n, ok := p.(value.Int); !ok || n%(rows*along(0)) != 0 {
			return nil
		}
	}
	if l, ok := mma.Atoms.(*Layout); ok && l.Stride != nil {
		return nil
	}
	return func(mode int, x int64) (int64, bool) {
		if mode > 0 {
			return 0, true
		}
		return 32 * (x / int64(rows) % int64(along(0))), true
	}
}
