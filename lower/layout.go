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
type layout struct{ shape, stride, step Value }

// staged is the stride that a program sees of a layout of which only the stages' is known: the last.
func staged(shape, step Value) Value {
	out := &Sequence{}
	for range modes(shape) {
		out.Elems = append(out.Elems, Data{})
	}
	out.Elems[len(out.Elems)-1] = step
	return out
}

// modes lists the top-level modes of a shape, stride or coordinate.
func modes(v Value) []Value {
	if s, ok := v.(*Sequence); ok {
		return s.Elems
	}
	return []Value{v}
}

func tuple(elems ...Value) *Sequence { return &Sequence{Elems: elems} }

// shapeOf gives the shape of a layout or tensor; a shape is its own. The shape of an unknown tensor is an unknown.
func shapeOf(v Value) Value {
	switch v := v.(type) {
	case *layout:
		return v.shape
	case *tensor:
		return v.shape
	case Symbol:
		if v.Expr.Op == "" && !v.Expr.IsConst && len(v.Expr.Atom) < 200 && !metadata(v.Expr.Atom) && !tileExtent(v.Expr.Atom) { // a number is its own shape
			return Atom(v.Expr.Atom + ".shape")
		}
	}
	return v
}

// part is the i-th element of a tuple; that of an unknown tuple is an unknown.
func part(v Value, i int) Value {
	switch v := v.(type) {
	case *Sequence:
		if i < 0 {
			i += len(v.Elems)
		}
		if i >= 0 && i < len(v.Elems) {
			return v.Elems[i]
		}
		return Int(1) // CuTe counts missing modes as extent 1
	case Symbol:
		return Atom(digested(v.Expr.String()) + "[" + strconv.Itoa(i) + "]")
	case Int:
		if i == 0 || i == -1 {
			return v
		}
		return Int(1)
	}
	return Data{}
}

// digested is a name that attributes and indices may be added to: of a long one a part, told apart by a digest.
func digested(name string) string {
	if len(name) < LongText/2 {
		return name
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	return fmt.Sprintf("%s … #%016x", strings.ToValidUTF8(name[:LongText/4], ""), h.Sum64())
}

// product is the number of elements of a shape.
func product(v Value) Value {
	switch v := v.(type) {
	case *Sequence:
		var out Value = Int(1)
		for _, e := range v.Elems {
			out = Binary("*", out, product(e))
		}
		return out
	case Symbol:
		if v.Expr.Op == "" && strings.HasSuffix(v.Expr.Atom, ".shape") {
			return Atom("size(" + v.Expr.Atom + ")") // the shape of an unknown tensor, not one extent
		}
		return v
	case Int, Lanes:
		return v
	case *layout: // a mode of a tiler
		return product(v.shape)
	}
	return Data{}
}

// pick gives the mode of a shape that a path of indices names: size(x, mode=[0, 1]).
func pick(shape, mode Value) Value {
	for _, i := range modes(mode) {
		n, ok := i.(Int)
		if !ok {
			return Data{}
		}
		shape = part(shape, int(n))
	}
	return shape
}

// compact is the column-major stride of a shape, starting at step.
func compact(shape Value, step *Value) Value {
	if s, ok := shape.(*Sequence); ok {
		out := &Sequence{}
		for _, e := range s.Elems {
			out.Elems = append(out.Elems, compact(e, step))
		}
		return out
	}
	at := *step
	*step = Binary("*", at, product(shape))
	return at
}

// member gives an attribute of a layout. A composed layout is its outer one here: swizzles do not matter.
func (l *layout) member(name string) Value {
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
	return Data{}
}

func (l *layout) Spell(left *int) string { return Spell(l.shape, left) }
func (l *layout) Uniform(left *int) bool { return Uniform(l.shape, left) }

func (l *layout) strides() Value {
	if l.stride != nil {
		return l.stride
	}
	var step Value = Int(1)
	return compact(l.shape, &step)
}

// hasNone reports whether a coordinate keeps something.
func hasNone(v Value) bool {
	switch v := v.(type) {
	case None:
		return true
	case *Sequence:
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
func kept(v, coord Value) []Value {
	switch c := coord.(type) {
	case None:
		return []Value{v}
	case *Sequence:
		var out []Value
		for i, e := range c.Elems {
			out = append(out, kept(part(v, i), e)...)
		}
		return out
	}
	return nil
}

// leftOf is kept as a tuple; None alone leaves everything as it is.
func leftOf(v, coord Value) Value {
	if _, all := coord.(None); all {
		return v
	}
	return &Sequence{Elems: kept(v, coord)}
}

// offset is the index a coordinate has in a layout; None counts as 0. A single index runs through the modes.
func offset(shape, stride, coord Value) Value {
	switch c := coord.(type) {
	case None:
		return Int(0)
	case *Sequence:
		var out Value = Int(0)
		for i, e := range c.Elems {
			out = Binary("+", out, offset(part(shape, i), part(stride, i), e))
		}
		return out
	}
	s, nested := shape.(*Sequence)
	if !nested {
		return Binary("*", coord, stride)
	}
	var out Value = Int(0)
	for i, e := range s.Elems {
		inner := coord
		if i < len(s.Elems)-1 {
			inner = Binary("%", coord, product(e))
		}
		out = Binary("+", out, offset(e, part(stride, i), inner))
		coord = Binary("//", coord, product(e))
	}
	return out
}

// coordinate is the inverse of a compact layout: the coordinate of an index in a shape.
func coordinate(shape, index Value) Value {
	s, nested := shape.(*Sequence)
	if !nested {
		return index
	}
	out := &Sequence{}
	for i, e := range s.Elems {
		inner := index
		if i < len(s.Elems)-1 {
			inner = Binary("%", index, product(e))
		}
		out.Elems = append(out.Elems, coordinate(e, inner))
		index = Binary("//", index, product(e))
	}
	return out
}

func flatten(v Value) []Value {
	s, ok := v.(*Sequence)
	if !ok {
		return []Value{v}
	}
	var out []Value
	for _, e := range s.Elems {
		out = append(out, flatten(e)...)
	}
	return out
}

// ceilDiv divides extents, element by element where both are tuples.
func ceilDiv(x, y Value) Value {
	if s, ok := x.(*Sequence); ok {
		out := &Sequence{}
		for i, e := range s.Elems {
			if t, ok := y.(*Sequence); ok && i >= len(t.Elems) {
				out.Elems = append(out.Elems, e)
				continue
			}
			out.Elems = append(out.Elems, ceilDiv(e, part(y, i)))
		}
		return out
	}
	y = product(y)
	if n, ok := y.(Int); ok && n == 1 {
		return x
	}
	x = product(x)
	if n, ok := x.(Int); ok && n == 1 {
		if d, ok := y.(Int); ok && d > 0 {
			return Int(1)
		}
	}
	if n := times(x, y); n != nil {
		return n
	}
	return Binary("//", Binary("-", Binary("+", x, y), Int(1)), y)
}

// times is how often an unknown extent goes into one that is it, or a multiple of it; nil where that does not show.
func times(x, y Value) Value {
	of, ok1 := x.(Symbol)
	unit, ok2 := y.(Symbol)
	switch {
	case !ok1 || !ok2:
	case sameValue(of, unit):
		return Int(1)
	case of.Expr.Op == "*" && of.Expr.Y != nil:
		for _, f := range [][2]*Expr{{of.Expr.X, of.Expr.Y}, {of.Expr.Y, of.Expr.X}} {
			if f[0].String() == unit.Expr.String() {
				if f[1].IsConst {
					return Int(f[1].Num)
				}
				return Symbol{Expr: f[1]}
			}
		}
	}
	return nil
}

// cosize is one more than the largest index of a layout.
func (l *layout) cosize() Value {
	if l.stride == nil {
		return product(l.shape)
	}
	if _, unknown := l.stride.(Data); unknown {
		return product(l.shape)
	}
	var out Value = Int(1)
	shapes, strides := flatten(l.shape), flatten(l.stride)
	if len(shapes) != len(strides) {
		return product(l.shape)
	}
	for i := range shapes {
		out = Binary("+", out, Binary("*", Binary("-", shapes[i], Int(1)), strides[i]))
	}
	return out
}

// imageMask is the set of CTAs, as bits, that a layout reaches from a coordinate when one mode varies: the
// destinations of a multicast (notes/cutedsl.md R17).
func (l *layout) imageMask(coord Value, mode int) (Value, bool) {
	n, ok := product(part(l.shape, mode)).(Int)
	at := modes(coord)
	if !ok || n < 1 || n > 64 || mode >= len(at) {
		return nil, false
	}
	var mask Value = Int(0)
	for i := Int(0); i < n; i++ {
		c := append([]Value{}, at...)
		c[mode] = coordinate(part(l.shape, mode), i)
		mask = Binary("|", mask, Binary("<<", Int(1), offset(l.shape, l.strides(), &Sequence{Elems: c})))
	}
	return mask, true
}

// BitsOf is the width of an element type, 0 where it is not known.
func BitsOf(dtype Value) int64 {
	if s, ok := dtype.(Symbol); ok && s.Expr.Op == "" && (strings.HasSuffix(s.Expr.Atom, ElementType) || strings.HasSuffix(s.Expr.Atom, ValueType)) {
		return 16
	}
	p, ok := dtype.(Path)
	if !ok {
		return 0
	}
	name := LastWord(string(p))
	if k := NumberType(name); k != nil && k.Bits > 1 {
		return k.Bits
	}
	return 8 * max(Sizes[name], int64(Bool(name == "Boolean")))
}

// What the DSL calls the type of a tensor's elements, and the type a pointer points to.
const (
	ElementType = ".element_type"
	ValueType   = ".value_type"
)

// elementType is the element type of a tensor, or the value type of a pointer, that only the launch gives. Its width
// decides sizes and with them how many stages fit, so one is assumed; which type it is stays open, as host sides check
// types in many ways.
func (m *machine) elementType(of, attribute string) Value {
	if t := m.typeOf(of); t != nil {
		return t
	}
	m.in.assumed[of+attribute+" is 16 bits wide"] = true
	return Atom(of + attribute)
}

// typeOf is the element type that a driver gave a tensor, or the pointer to its first element; nil where none did.
func (m *machine) typeOf(of string) Value { return m.in.types[strings.TrimSuffix(of, ".iterator")] }

// numberTypeOf is the number type that a tensor's unknown element type is taken for where an instruction's operands are of
// it: instructions on 16-bit numbers synchronize alike, and a kernel that spells one out asks which it is.
func (m *machine) numberTypeOf(v Value) Value {
	s, ok := v.(Symbol)
	if !ok || BitsOf(s) == 0 {
		return v
	}
	m.in.assumed[s.Expr.String()+" is Float16 where a multiplication's type is asked for"] = true
	return Path("cutlass.Float16")
}

// width is dtype.width as a value.
func width(dtype Value) Value {
	if n := BitsOf(dtype); n > 0 {
		return Int(n)
	}
	if s, ok := dtype.(Symbol); ok && len(s.Expr.String()) < 200 {
		return Atom(s.Expr.String() + ".width")
	}
	return Data{}
}
