package lower

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// layout is a CuTe layout: a shape, nested tuples of extents, and congruent strides. A nil stride is the compact
// column-major one, data{} one that is not known (swizzled, or made by a library); step is then the distance of the
// stages, the last mode, where that is known. Only shapes and sizes matter to
// synchronization: they decide trip counts, bytes, masks and stages.
type layout struct{ shape, stride, step value.Value }

// staged is the stride that a program sees of a layout of which only the stages' is known: the last.
func staged(shape, step value.Value) value.Value {
	out := &value.Sequence{}
	for range modes(shape) {
		out.Elems = append(out.Elems, value.Data{})
	}
	out.Elems[len(out.Elems)-1] = step
	return out
}

// modes lists the top-level modes of a shape, stride or coordinate.
func modes(v value.Value) []value.Value {
	if s, ok := v.(*value.Sequence); ok {
		return s.Elems
	}
	return []value.Value{v}
}

// tuple makes a tuple.
func tuple(elems ...value.Value) *value.Sequence { return &value.Sequence{Elems: elems} }

// shapeOf gives the shape of a layout or tensor; a shape is its own. The shape of an unknown tensor is an unknown.
func shapeOf(v value.Value) value.Value {
	switch v := v.(type) {
	case *layout:
		return v.shape
	case *tensor:
		return v.shape
	case value.Symbol:
		if v.Expr.Op == "" && !v.Expr.IsConst && len(v.Expr.Atom) < 200 && !metadata(v.Expr.Atom) && !tileExtent(v.Expr.Atom) { // a number is its own shape
			return value.Atom(v.Expr.Atom + ".shape")
		}
	}
	return v
}

// part is the i-th element of a tuple; that of an unknown tuple is an unknown.
func part(v value.Value, i int) value.Value {
	switch v := v.(type) {
	case *value.Sequence:
		if i < 0 {
			i += len(v.Elems)
		}
		if i >= 0 && i < len(v.Elems) {
			return v.Elems[i]
		}
		return value.Int(1) // CuTe counts missing modes as extent 1
	case value.Symbol:
		return value.Atom(digested(v.Expr.String()) + "[" + strconv.Itoa(i) + "]")
	case value.Int:
		if i == 0 || i == -1 {
			return v
		}
		return value.Int(1)
	}
	return value.Data{}
}

// digested is a name that attributes and indices may be added to: of a long one a part, told apart by a digest.
func digested(name string) string {
	if len(name) < value.LongText/2 {
		return name
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	return fmt.Sprintf("%s … #%016x", strings.ToValidUTF8(name[:value.LongText/4], ""), h.Sum64())
}

// product is the number of elements of a shape.
func product(v value.Value) value.Value {
	switch v := v.(type) {
	case *value.Sequence:
		var out value.Value = value.Int(1)
		for _, e := range v.Elems {
			out = value.Binary("*", out, product(e))
		}
		return out
	case value.Symbol:
		if v.Expr.Op == "" && strings.HasSuffix(v.Expr.Atom, ".shape") {
			return value.Atom("size(" + v.Expr.Atom + ")") // the shape of an unknown tensor, not one extent
		}
		return v
	case value.Int, value.Lanes:
		return v
	case *layout: // a mode of a tiler
		return product(v.shape)
	}
	return value.Data{}
}

// pick gives the mode of a shape that a path of indices names: size(x, mode=[0, 1]).
func pick(shape, mode value.Value) value.Value {
	for _, i := range modes(mode) {
		n, ok := i.(value.Int)
		if !ok {
			return value.Data{}
		}
		shape = part(shape, int(n))
	}
	return shape
}

// compact is the column-major stride of a shape, starting at step.
func compact(shape value.Value, step *value.Value) value.Value {
	if s, ok := shape.(*value.Sequence); ok {
		out := &value.Sequence{}
		for _, e := range s.Elems {
			out.Elems = append(out.Elems, compact(e, step))
		}
		return out
	}
	at := *step
	*step = value.Binary("*", at, product(shape))
	return at
}

// member gives an attribute of a layout. A composed layout is its outer one here: swizzles do not matter.
func (l *layout) member(name string) value.Value {
	switch name {
	case "shape":
		return l.shape
	case "stride":
		if l.step != nil {
			return staged(l.shape, l.step)
		}
		return l.strides()
	case "outer", "layout":
		return l
	}
	return value.Data{}
}

func (l *layout) Spell(left *int) string { return value.Spell(l.shape, left) }
func (l *layout) Replaced(part func(value.Value) value.Value) value.Value {
	return &layout{shape: part(l.shape), stride: part(l.stride)}
}
func (l *layout) Uniform(left *int) bool { return value.Uniform(l.shape, left) }

// strides are the strides, of a compact layout computed.
func (l *layout) strides() value.Value {
	if l.stride != nil {
		return l.stride
	}
	var step value.Value = value.Int(1)
	return compact(l.shape, &step)
}

// hasNone reports whether a coordinate keeps something.
func hasNone(v value.Value) bool {
	switch v := v.(type) {
	case value.None:
		return true
	case *value.Sequence:
		for _, e := range v.Elems {
			if hasNone(e) {
				return true
			}
		}
	}
	return false
}

// kept lists the modes that a coordinate with None leaves of a shape or stride. Those that a nested coordinate leaves
// become modes of their own: ((None, None), 0) leaves two.
func kept(v, coord value.Value) []value.Value {
	switch c := coord.(type) {
	case value.None:
		return []value.Value{v}
	case *value.Sequence:
		var out []value.Value
		for i, e := range c.Elems {
			out = append(out, kept(part(v, i), e)...)
		}
		return out
	}
	return nil
}

// leftOf is kept as a tuple; None alone leaves everything as it is.
func leftOf(v, coord value.Value) value.Value {
	if _, all := coord.(value.None); all {
		return v
	}
	return &value.Sequence{Elems: kept(v, coord)}
}

// offset is the index a coordinate has in a layout; None counts as 0. A single index runs through the modes.
func offset(shape, stride, coord value.Value) value.Value {
	switch c := coord.(type) {
	case value.None:
		return value.Int(0)
	case *value.Sequence:
		var out value.Value = value.Int(0)
		for i, e := range c.Elems {
			out = value.Binary("+", out, offset(part(shape, i), part(stride, i), e))
		}
		return out
	}
	s, nested := shape.(*value.Sequence)
	if !nested {
		return value.Binary("*", coord, stride)
	}
	var out value.Value = value.Int(0)
	for i, e := range s.Elems {
		inner := coord
		if i < len(s.Elems)-1 {
			inner = value.Binary("%", coord, product(e))
		}
		out = value.Binary("+", out, offset(e, part(stride, i), inner))
		coord = value.Binary("//", coord, product(e))
	}
	return out
}

// coordinate is the inverse of a compact layout: the coordinate of an index in a shape.
func coordinate(shape, index value.Value) value.Value {
	s, nested := shape.(*value.Sequence)
	if !nested {
		return index
	}
	out := &value.Sequence{}
	for i, e := range s.Elems {
		inner := index
		if i < len(s.Elems)-1 {
			inner = value.Binary("%", index, product(e))
		}
		out.Elems = append(out.Elems, coordinate(e, inner))
		index = value.Binary("//", index, product(e))
	}
	return out
}

// flatten lists the leaves of a shape, stride or coordinate.
func flatten(v value.Value) []value.Value {
	s, ok := v.(*value.Sequence)
	if !ok {
		return []value.Value{v}
	}
	var out []value.Value
	for _, e := range s.Elems {
		out = append(out, flatten(e)...)
	}
	return out
}

// ceilDiv divides extents, element by element where both are tuples.
func ceilDiv(x, y value.Value) value.Value {
	if s, ok := x.(*value.Sequence); ok {
		out := &value.Sequence{}
		for i, e := range s.Elems {
			if t, ok := y.(*value.Sequence); ok && i >= len(t.Elems) {
				out.Elems = append(out.Elems, e)
				continue
			}
			out.Elems = append(out.Elems, ceilDiv(e, part(y, i)))
		}
		return out
	}
	y = product(y)
	if n, ok := y.(value.Int); ok && n == 1 {
		return x
	}
	x = product(x)
	if n, ok := x.(value.Int); ok && n == 1 {
		if d, ok := y.(value.Int); ok && d > 0 {
			return value.Int(1)
		}
	}
	if n := times(x, y); n != nil {
		return n
	}
	return value.Binary("//", value.Binary("-", value.Binary("+", x, y), value.Int(1)), y)
}

// times is how often an unknown extent goes into one that is it, or a multiple of it; nil where that does not show.
func times(x, y value.Value) value.Value {
	of, ok1 := x.(value.Symbol)
	unit, ok2 := y.(value.Symbol)
	switch {
	case !ok1 || !ok2:
	case value.Same(of, unit):
		return value.Int(1)
	case of.Expr.Op == "*" && of.Expr.Y != nil:
		for _, f := range [][2]*value.Expr{{of.Expr.X, of.Expr.Y}, {of.Expr.Y, of.Expr.X}} {
			if f[0].String() == unit.Expr.String() {
				if f[1].IsConst {
					return value.Int(f[1].Num)
				}
				return value.Symbol{Expr: f[1]}
			}
		}
	}
	return nil
}

// cosize is one more than the largest index of a layout.
func (l *layout) cosize() value.Value {
	if l.stride == nil {
		return product(l.shape)
	}
	if _, unknown := l.stride.(value.Data); unknown {
		return product(l.shape)
	}
	var out value.Value = value.Int(1)
	shapes, strides := flatten(l.shape), flatten(l.stride)
	if len(shapes) != len(strides) {
		return product(l.shape)
	}
	for i := range shapes {
		out = value.Binary("+", out, value.Binary("*", value.Binary("-", shapes[i], value.Int(1)), strides[i]))
	}
	return out
}

// imageMask is the set of CTAs, as bits, that a layout reaches from a coordinate when one mode varies: the
// destinations of a multicast (notes/cutedsl.md R17).
func (l *layout) imageMask(coord value.Value, mode int) (value.Value, bool) {
	n, ok := product(part(l.shape, mode)).(value.Int)
	at := modes(coord)
	if !ok || n < 1 || n > 64 || mode >= len(at) {
		return nil, false
	}
	var mask value.Value = value.Int(0)
	for i := value.Int(0); i < n; i++ {
		c := append([]value.Value{}, at...)
		c[mode] = coordinate(part(l.shape, mode), i)
		mask = value.Binary("|", mask, value.Binary("<<", value.Int(1), offset(l.shape, l.strides(), &value.Sequence{Elems: c})))
	}
	return mask, true
}

// elementType is the element type of a tensor, or the value type of a pointer, that only the launch gives. Its width
// decides sizes and with them how many stages fit, so one is assumed; which type it is stays open, as host sides check
// types in many ways.
func (m *machine) elementType(of, attribute string) value.Value {
	if t := m.typeOf(of); t != nil {
		return t
	}
	m.in.assumed[of+attribute+" is 16 bits wide"] = true
	return value.Atom(of + attribute)
}

// typeOf is the element type that a driver gave a tensor, or the pointer to its first element; nil where none did.
func (m *machine) typeOf(of string) value.Value {
	return m.in.types[strings.TrimSuffix(of, ".iterator")]
}

// numberTypeOf is the number type that a tensor's unknown element type is taken for where an instruction's operands are of
// it: instructions on 16-bit numbers synchronize alike, and a kernel that spells one out asks which it is.
func (m *machine) numberTypeOf(v value.Value) value.Value {
	s, ok := v.(value.Symbol)
	if !ok || value.BitsOf(s) == 0 {
		return v
	}
	m.in.assumed[s.Expr.String()+" is Float16 where a multiplication's type is asked for"] = true
	return value.Path("cutlass.Float16")
}

// width is dtype.width as a value.
func width(dtype value.Value) value.Value {
	if n := value.BitsOf(dtype); n > 0 {
		return value.Int(n)
	}
	if s, ok := dtype.(value.Symbol); ok && len(s.Expr.String()) < 200 {
		return value.Atom(s.Expr.String() + ".width")
	}
	return value.Data{}
}
