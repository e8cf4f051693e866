package lower

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// layout is a CuTe layout: a shape, nested tuples of extents, and congruent strides. A nil stride is the compact
// column-major one, data{} one that is not known (swizzled, or made by a library); step is then the distance of the
// stages, the last mode, where that is known. Only shapes and sizes matter to
// synchronization: they decide trip counts, bytes, masks and stages.
type layout struct{ shape, stride, step value }

// staged is the stride that a program sees of a layout of which only the stages' is known: the last.
func staged(shape, step value) value {
	out := &sequence{}
	for range modes(shape) {
		out.elems = append(out.elems, data{})
	}
	out.elems[len(out.elems)-1] = step
	return out
}

// modes lists the top-level modes of a shape, stride or coordinate.
func modes(v value) []value {
	if s, ok := v.(*sequence); ok {
		return s.elems
	}
	return []value{v}
}

func tuple(elems ...value) *sequence { return &sequence{elems: elems} }

// shapeOf gives the shape of a layout or tensor; a shape is its own. The shape of an unknown tensor is an unknown.
func shapeOf(v value) value {
	switch v := v.(type) {
	case *layout:
		return v.shape
	case *tensor:
		return v.shape
	case symbol:
		if v.expr.op == "" && !v.expr.isN && len(v.expr.atom) < 200 && !metadata(v.expr.atom) && !tileExtent(v.expr.atom) { // a number is its own shape
			return atom(v.expr.atom + ".shape")
		}
	}
	return v
}

// part is the i-th element of a tuple; that of an unknown tuple is an unknown.
func part(v value, i int) value {
	switch v := v.(type) {
	case *sequence:
		if i < 0 {
			i += len(v.elems)
		}
		if i >= 0 && i < len(v.elems) {
			return v.elems[i]
		}
		return integer(1) // CuTe counts missing modes as extent 1
	case symbol:
		return atom(digested(v.expr.String()) + "[" + strconv.Itoa(i) + "]")
	case integer:
		if i == 0 || i == -1 {
			return v
		}
		return integer(1)
	}
	return data{}
}

// digested is a name that attributes and indices may be added to: of a long one a part, told apart by a digest.
func digested(name string) string {
	if len(name) < longText/2 {
		return name
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	return fmt.Sprintf("%s … #%016x", strings.ToValidUTF8(name[:longText/4], ""), h.Sum64())
}

// product is the number of elements of a shape.
func product(v value) value {
	switch v := v.(type) {
	case *sequence:
		var out value = integer(1)
		for _, e := range v.elems {
			out = binary("*", out, product(e))
		}
		return out
	case symbol:
		if v.expr.op == "" && strings.HasSuffix(v.expr.atom, ".shape") {
			return atom("size(" + v.expr.atom + ")") // the shape of an unknown tensor, not one extent
		}
		return v
	case integer, lanes:
		return v
	case *layout: // a mode of a tiler
		return product(v.shape)
	}
	return data{}
}

// pick gives the mode of a shape that a path of indices names: size(x, mode=[0, 1]).
func pick(shape, mode value) value {
	for _, i := range modes(mode) {
		n, ok := i.(integer)
		if !ok {
			return data{}
		}
		shape = part(shape, int(n))
	}
	return shape
}

// compact is the column-major stride of a shape, starting at step.
func compact(shape value, step *value) value {
	if s, ok := shape.(*sequence); ok {
		out := &sequence{}
		for _, e := range s.elems {
			out.elems = append(out.elems, compact(e, step))
		}
		return out
	}
	at := *step
	*step = binary("*", at, product(shape))
	return at
}

// member gives an attribute of a layout. A composed layout is its outer one here: swizzles do not matter.
func (l *layout) member(name string) value {
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
	return data{}
}

func (l *layout) spell(left *int) string { return spell(l.shape, left) }
func (l *layout) uniform(left *int) bool { return uniform(l.shape, left) }

func (l *layout) strides() value {
	if l.stride != nil {
		return l.stride
	}
	var step value = integer(1)
	return compact(l.shape, &step)
}

// hasNone reports whether a coordinate keeps something.
func hasNone(v value) bool {
	switch v := v.(type) {
	case none:
		return true
	case *sequence:
		for _, e := range v.elems {
			if hasNone(e) {
				return true
			}
		}
	}
	return false
}

// kept lists the modes that a coordinate with None leaves of a shape or stride. Those that a nested coordinate leaves
// become modes of their own: ((None, None), 0) leaves two.
func kept(v, coord value) []value {
	switch c := coord.(type) {
	case none:
		return []value{v}
	case *sequence:
		var out []value
		for i, e := range c.elems {
			out = append(out, kept(part(v, i), e)...)
		}
		return out
	}
	return nil
}

// leftOf is kept as a tuple; None alone leaves everything as it is.
func leftOf(v, coord value) value {
	if _, all := coord.(none); all {
		return v
	}
	return &sequence{elems: kept(v, coord)}
}

// offset is the index a coordinate has in a layout; None counts as 0. A single index runs through the modes.
func offset(shape, stride, coord value) value {
	switch c := coord.(type) {
	case none:
		return integer(0)
	case *sequence:
		var out value = integer(0)
		for i, e := range c.elems {
			out = binary("+", out, offset(part(shape, i), part(stride, i), e))
		}
		return out
	}
	s, nested := shape.(*sequence)
	if !nested {
		return binary("*", coord, stride)
	}
	var out value = integer(0)
	for i, e := range s.elems {
		inner := coord
		if i < len(s.elems)-1 {
			inner = binary("%", coord, product(e))
		}
		out = binary("+", out, offset(e, part(stride, i), inner))
		coord = binary("//", coord, product(e))
	}
	return out
}

// coordinate is the inverse of a compact layout: the coordinate of an index in a shape.
func coordinate(shape, index value) value {
	s, nested := shape.(*sequence)
	if !nested {
		return index
	}
	out := &sequence{}
	for i, e := range s.elems {
		inner := index
		if i < len(s.elems)-1 {
			inner = binary("%", index, product(e))
		}
		out.elems = append(out.elems, coordinate(e, inner))
		index = binary("//", index, product(e))
	}
	return out
}

func flatten(v value) []value {
	s, ok := v.(*sequence)
	if !ok {
		return []value{v}
	}
	var out []value
	for _, e := range s.elems {
		out = append(out, flatten(e)...)
	}
	return out
}

// ceilDiv divides extents, element by element where both are tuples.
func ceilDiv(x, y value) value {
	if s, ok := x.(*sequence); ok {
		out := &sequence{}
		for i, e := range s.elems {
			if t, ok := y.(*sequence); ok && i >= len(t.elems) {
				out.elems = append(out.elems, e)
				continue
			}
			out.elems = append(out.elems, ceilDiv(e, part(y, i)))
		}
		return out
	}
	y = product(y)
	if n, ok := y.(integer); ok && n == 1 {
		return x
	}
	x = product(x)
	if n, ok := x.(integer); ok && n == 1 {
		if d, ok := y.(integer); ok && d > 0 {
			return integer(1)
		}
	}
	if n := times(x, y); n != nil {
		return n
	}
	return binary("//", binary("-", binary("+", x, y), integer(1)), y)
}

// times is how often an unknown extent goes into one that is it, or a multiple of it; nil where that does not show.
func times(x, y value) value {
	of, ok1 := x.(symbol)
	unit, ok2 := y.(symbol)
	switch {
	case !ok1 || !ok2:
	case sameValue(of, unit):
		return integer(1)
	case of.expr.op == "*" && of.expr.y != nil:
		for _, f := range [][2]*symExpr{{of.expr.x, of.expr.y}, {of.expr.y, of.expr.x}} {
			if f[0].String() == unit.expr.String() {
				if f[1].isN {
					return integer(f[1].num)
				}
				return symbol{f[1]}
			}
		}
	}
	return nil
}

// cosize is one more than the largest index of a layout.
func (l *layout) cosize() value {
	if l.stride == nil {
		return product(l.shape)
	}
	if _, unknown := l.stride.(data); unknown {
		return product(l.shape)
	}
	var out value = integer(1)
	shapes, strides := flatten(l.shape), flatten(l.stride)
	if len(shapes) != len(strides) {
		return product(l.shape)
	}
	for i := range shapes {
		out = binary("+", out, binary("*", binary("-", shapes[i], integer(1)), strides[i]))
	}
	return out
}

// imageMask is the set of CTAs, as bits, that a layout reaches from a coordinate when one mode varies: the
// destinations of a multicast (notes/cutedsl.md R17).
func (l *layout) imageMask(coord value, mode int) (value, bool) {
	n, ok := product(part(l.shape, mode)).(integer)
	at := modes(coord)
	if !ok || n < 1 || n > 64 || mode >= len(at) {
		return nil, false
	}
	var mask value = integer(0)
	for i := integer(0); i < n; i++ {
		c := append([]value{}, at...)
		c[mode] = coordinate(part(l.shape, mode), i)
		mask = binary("|", mask, binary("<<", integer(1), offset(l.shape, l.strides(), &sequence{elems: c})))
	}
	return mask, true
}

// bitsOf is the width of an element type, 0 where it is not known.
func bitsOf(dtype value) int64 {
	if s, ok := dtype.(symbol); ok && s.expr.op == "" && (strings.HasSuffix(s.expr.atom, elementType) || strings.HasSuffix(s.expr.atom, valueType)) {
		return 16
	}
	p, ok := dtype.(path)
	if !ok {
		return 0
	}
	name := lastWord(string(p))
	if k := numberType(name); k != nil && k.bits > 1 {
		return k.bits
	}
	return 8 * max(sizes[name], int64(boolean(name == "Boolean")))
}

// What the DSL calls the type of a tensor's elements, and the type a pointer points to.
const (
	elementType = ".element_type"
	valueType   = ".value_type"
)

// elementType is the element type of a tensor, or the value type of a pointer, that only the launch gives. Its width
// decides sizes and with them how many stages fit, so one is assumed; which type it is stays open, as host sides check
// types in many ways.
func (m *machine) elementType(of, attribute string) value {
	if t := m.typeOf(of); t != nil {
		return t
	}
	m.in.assumed[of+attribute+" is 16 bits wide"] = true
	return atom(of + attribute)
}

// typeOf is the element type that a driver gave a tensor, or the pointer to its first element; nil where none did.
func (m *machine) typeOf(of string) value { return m.in.types[strings.TrimSuffix(of, ".iterator")] }

// numberTypeOf is the number type that a tensor's unknown element type is taken for where an instruction's operands are of
// it: instructions on 16-bit numbers synchronize alike, and a kernel that spells one out asks which it is.
func (m *machine) numberTypeOf(v value) value {
	s, ok := v.(symbol)
	if !ok || bitsOf(s) == 0 {
		return v
	}
	m.in.assumed[s.expr.String()+" is Float16 where a multiplication's type is asked for"] = true
	return path("cutlass.Float16")
}

// width is dtype.width as a value.
func width(dtype value) value {
	if n := bitsOf(dtype); n > 0 {
		return integer(n)
	}
	if s, ok := dtype.(symbol); ok && len(s.expr.String()) < 200 {
		return atom(s.expr.String() + ".width")
	}
	return data{}
}
