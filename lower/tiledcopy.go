package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// Inverse is the shape that one side of a thread-value layout has: the modes of the layout by rising stride, those of
// extent 1 left out, neighbours that are contiguous in the tile as one. inner is how much of each mode of the tile one
// element spans.
func Inverse(v, inner value.Value, steps []value.Value) value.Value {
	shape, stride := Modes(ShapeOf(v)), []value.Value(nil)
	if l, ok := v.(*Layout); ok {
		stride = Modes(l.Strides())
	}
	type mode struct{ extent, stride, step int64 }
	var list []mode
	for i, e := range shape {
		n, ok1 := Product(e).(value.Int)
		s, ok2 := Part(&value.Sequence{Elems: stride}, i).(value.Int)
		t, ok3 := value.Binary("*", steps[i], Product(Part(inner, i))).(value.Int)
		if !ok1 || !ok2 || !ok3 || len(stride) != len(shape) {
			return Product(&value.Sequence{Elems: shape})
		}
		if n != 1 {
			list = append(list, mode{int64(n), int64(s), int64(t)})
		}
	}
	slices.SortFunc(list, func(a, b mode) int { return int(a.stride - b.stride) })
	var out []value.Value
	last := mode{}
	for _, e := range list {
		if n := len(out); n > 0 && last.extent*last.step == e.step {
			out[n-1] = value.Int(last.extent * e.extent)
			last.extent *= e.extent
			continue
		}
		out, last = append(out, value.Int(e.extent)), e
	}
	switch len(out) {
	case 0:
		return value.Int(1)
	case 1:
		return out[0]
	}
	return &value.Sequence{Elems: out}
}

// copySize is how many threads perform a tiled copy, nil for anything else.
func copySize(v value.Value) value.Value {
	if AtomKind(v) == "" {
		return nil
	}
	return v.(*value.Object).Fields["size"]
}

// Share is a thread's part of a tensor by a tiled copy: the values of one atom and the atoms of one tile, then how often
// the tile repeats along each of its modes, then the modes beyond.
func Share(c *value.Object, shape []value.Value) []value.Value {
	tile, ok := c.Fields["tiler_mn"].(*value.Sequence)
	if !ok || len(shape) < len(tile.Elems) {
		return nil
	}
	values := c.Fields["values"]
	var one value.Value = values
	bits, ok1 := c.Fields["bits"].(value.Int)
	if wide := value.BitsOf(value.FirstOf(c.Fields["dtype"], value.Data{})); ok1 && wide > 0 {
		one = value.Binary("//", bits, value.Int(wide))
	}
	out := []value.Value{Tuple(one, CeilDiv(values, one))}
	for i, e := range tile.Elems {
		out = append(out, CeilDiv(Product(shape[i]), e))
	}
	return append(out, shape[len(tile.Elems):]...)
}
