// Package cute is CuTe's algebra as far as synchronization depends on it: layouts and what divides and composes them, views of memory
// as tensors, atoms of copies and tiled multiplications, and which threads and warps have which part of a tile (thread-value layouts).
// Shapes and strides are values, known or not; who evaluates a call, and what it does to memory, it does not know. It imports value.
package cute

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// Layout is a CuTe layout: a shape, nested tuples of extents, and congruent strides. A nil stride is the compact
// column-major one, data{} one that is not known (swizzled, or made by a library); step is then the distance of the
// stages, the last mode, where that is known. Only shapes and sizes matter to
// synchronization: they decide trip counts, bytes, masks and stages. Scales says of a layout that what lies in it are scale factors.
type Layout struct {
	Shape, Stride, Step value.Value
	Scales              bool
}

// staged is the stride that a program sees of a layout of which only the stages' is known: the last.
func staged(shape, step value.Value) value.Value {
	out := &value.Sequence{}
	for range Modes(shape) {
		out.Elems = append(out.Elems, value.Data{})
	}
	out.Elems[len(out.Elems)-1] = step
	return out
}

// Modes lists the top-level modes of a shape, stride or coordinate.
func Modes(v value.Value) []value.Value {
	if s, ok := v.(*value.Sequence); ok {
		return s.Elems
	}
	return []value.Value{v}
}

// Tuple makes a tuple.
func Tuple(elems ...value.Value) *value.Sequence { return &value.Sequence{Elems: elems} }

// ShapeOf gives the shape of a layout or tensor; a shape is its own. The shape of an unknown tensor is an unknown.
func ShapeOf(v value.Value) value.Value {
	switch v := v.(type) {
	case *Layout:
		return v.Shape
	case *Tensor:
		return v.Shape
	case value.Symbol:
		if v.Expr.Op == "" && !v.Expr.IsConst && len(v.Expr.Atom) < 200 && !Metadata(v.Expr.Atom) && !TileExtent(v.Expr.Atom) { // a number is its own shape
			return value.Atom(v.Expr.Atom + ".shape")
		}
	}
	return v
}

// Part is the i-th element of a tuple; that of an unknown tuple is an unknown.
func Part(v value.Value, i int) value.Value {
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

// Product is the number of elements of a shape.
func Product(v value.Value) value.Value {
	switch v := v.(type) {
	case *value.Sequence:
		var out value.Value = value.Int(1)
		for _, e := range v.Elems {
			out = value.Binary("*", out, Product(e))
		}
		return out
	case value.Symbol:
		if v.Expr.Op == "" && strings.HasSuffix(v.Expr.Atom, ".shape") {
			return value.Atom("size(" + v.Expr.Atom + ")") // the shape of an unknown tensor, not one extent
		}
		return v
	case value.Int, value.Lanes:
		return v
	case *Layout: // a mode of a tiler
		return Product(v.Shape)
	}
	return value.Data{}
}

// Pick gives the mode of a shape that a path of indices names: size(x, mode=[0, 1]).
func Pick(shape, mode value.Value) value.Value {
	for _, i := range Modes(mode) {
		n, ok := i.(value.Int)
		if !ok {
			return value.Data{}
		}
		shape = Part(shape, int(n))
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
	*step = value.Binary("*", at, Product(shape))
	return at
}

// Member gives an attribute of a layout. A composed layout is its outer one here: swizzles do not matter.
func (l *Layout) Member(name string) value.Value {
	switch name {
	case "shape":
		return l.Shape
	case "stride":
		if l.Step != nil {
			return staged(l.Shape, l.Step)
		}
		return l.Strides()
	case "outer", "layout":
		return l
	}
	return value.Data{}
}

func (l *Layout) Spell(left *int) string { return value.Spell(l.Shape, left) }
func (l *Layout) Replaced(part func(value.Value) value.Value) value.Value {
	return &Layout{Shape: part(l.Shape), Stride: part(l.Stride)}
}
func (l *Layout) Uniform(left *int) bool { return value.Uniform(l.Shape, left) }

// Strides are the strides, of a compact layout computed.
func (l *Layout) Strides() value.Value {
	if l.Stride != nil {
		return l.Stride
	}
	var step value.Value = value.Int(1)
	return compact(l.Shape, &step)
}

// HasNone reports whether a coordinate keeps something.
func HasNone(v value.Value) bool {
	switch v := v.(type) {
	case value.None:
		return true
	case *value.Sequence:
		for _, e := range v.Elems {
			if HasNone(e) {
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
			out = append(out, kept(Part(v, i), e)...)
		}
		return out
	}
	return nil
}

// LeftOf is kept as a tuple; None alone leaves everything as it is.
func LeftOf(v, coord value.Value) value.Value {
	if _, all := coord.(value.None); all {
		return v
	}
	return &value.Sequence{Elems: kept(v, coord)}
}

// Offset is the index a coordinate has in a layout; None counts as 0. A single index runs through the modes.
func Offset(shape, stride, coord value.Value) value.Value {
	switch c := coord.(type) {
	case value.None:
		return value.Int(0)
	case *value.Sequence:
		var out value.Value = value.Int(0)
		for i, e := range c.Elems {
			out = value.Binary("+", out, Offset(Part(shape, i), Part(stride, i), e))
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
			inner = value.Binary("%", coord, Product(e))
		}
		out = value.Binary("+", out, Offset(e, Part(stride, i), inner))
		coord = value.Binary("//", coord, Product(e))
	}
	return out
}

// Coordinate is the inverse of a compact layout: the coordinate of an index in a shape.
func Coordinate(shape, index value.Value) value.Value {
	s, nested := shape.(*value.Sequence)
	if !nested {
		return index
	}
	out := &value.Sequence{}
	for i, e := range s.Elems {
		inner := index
		if i < len(s.Elems)-1 {
			inner = value.Binary("%", index, Product(e))
		}
		out.Elems = append(out.Elems, Coordinate(e, inner))
		index = value.Binary("//", index, Product(e))
	}
	return out
}

// Flatten lists the leaves of a shape, stride or coordinate.
func Flatten(v value.Value) []value.Value {
	s, ok := v.(*value.Sequence)
	if !ok {
		return []value.Value{v}
	}
	var out []value.Value
	for _, e := range s.Elems {
		out = append(out, Flatten(e)...)
	}
	return out
}

// CeilDiv divides extents, element by element where both are tuples.
func CeilDiv(x, y value.Value) value.Value {
	if s, ok := x.(*value.Sequence); ok {
		out := &value.Sequence{}
		for i, e := range s.Elems {
			if t, ok := y.(*value.Sequence); ok && i >= len(t.Elems) {
				out.Elems = append(out.Elems, e)
				continue
			}
			out.Elems = append(out.Elems, CeilDiv(e, Part(y, i)))
		}
		return out
	}
	y = Product(y)
	if n, ok := y.(value.Int); ok && n == 1 {
		return x
	}
	x = Product(x)
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

// Cosize is one more than the largest index of a layout.
func (l *Layout) Cosize() value.Value {
	if l.Stride == nil {
		return Product(l.Shape)
	}
	if _, unknown := l.Stride.(value.Data); unknown {
		return Product(l.Shape)
	}
	var out value.Value = value.Int(1)
	shapes, strides := Flatten(l.Shape), Flatten(l.Stride)
	if len(shapes) != len(strides) {
		return Product(l.Shape)
	}
	for i := range shapes {
		out = value.Binary("+", out, value.Binary("*", value.Binary("-", shapes[i], value.Int(1)), strides[i]))
	}
	return out
}

// ImageMask is the set of CTAs, as bits, that a layout reaches from a coordinate when one mode varies: the
// destinations of a multicast (notes/cutedsl.md R17).
func (l *Layout) ImageMask(coord value.Value, mode int) (value.Value, bool) {
	n, ok := Product(Part(l.Shape, mode)).(value.Int)
	at := Modes(coord)
	if !ok || n < 1 || n > 64 || mode >= len(at) {
		return nil, false
	}
	var mask value.Value = value.Int(0)
	for i := value.Int(0); i < n; i++ {
		c := append([]value.Value{}, at...)
		c[mode] = Coordinate(Part(l.Shape, mode), i)
		mask = value.Binary("|", mask, value.Binary("<<", value.Int(1), Offset(l.Shape, l.Strides(), &value.Sequence{Elems: c})))
	}
	return mask, true
}

// Width is dtype.width as a value.
func Width(dtype value.Value) value.Value {
	if n := value.BitsOf(dtype); n > 0 {
		return value.Int(n)
	}
	if s, ok := dtype.(value.Symbol); ok && len(s.Expr.String()) < 200 {
		return value.Atom(s.Expr.String() + ".width")
	}
	return value.Data{}
}

// TileExtent reports whether an unknown is an extent of the tiles that a kernel is compiled for: tiler_mn[0], tile_shape[1].
// That is no number of the problem, which could be anything: a multiplication of three rows is none.
func TileExtent(key string) bool {
	name, _, indexed := strings.Cut(value.LastWord(key), "[")
	return indexed && !strings.ContainsAny(key, "( ") && (strings.Contains(name, "tiler") || strings.Contains(name, "tile_shape"))
}

// Metadata reports whether indexing the symbol gives a host-side number rather than memory.
func Metadata(name string) bool {
	for _, w := range []string{"shape", "stride", "size", "layout", "dim"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// Described reports whether a symbol is the shape, the strides or the layout of something, or a part of these.
func Described(name string) bool {
	last, _, _ := strings.Cut(name[strings.LastIndexByte(name, '.')+1:], "[")
	return last != name && value.Words("shape stride layout")[last]
}

// ModesIn are the letters of the modes that a parameter's name ends in; "" where it has none.
func ModesIn(name string) string {
	at := strings.LastIndexByte(name, '_')
	letters := name[at+1:]
	if at < 0 || len(letters) < 2 || len(letters) > 4 || strings.Trim(letters, "mnkl") != "" {
		return ""
	}
	for i := range letters {
		if strings.IndexByte(letters[i+1:], letters[i]) >= 0 {
			return ""
		}
	}
	return letters
}

// Shifted is cute.domain_offset(coord, tensor): the same memory from a coordinate on.
func Shifted(of, coord value.Value) (value.Value, bool) {
	t, ok := of.(*Tensor)
	if sym, is := of.(value.Symbol); is {
		rank := 1
		switch c := coord.(type) {
		case *value.Sequence:
			rank = len(c.Elems)
		case value.Symbol, value.Data: // a tuple or a number
			rank = 0
		}
		t, ok = ViewOf(sym, rank), true
	}
	if !ok {
		return nil, false
	}
	out := t.With("domain_offset", t.Shape, t.Outer)
	out.Adrift = true
	if t.Steps == nil || !Congruent(t.Shape, coord) {
		return out, true
	}
	by := Offset(t.Shape, t.Steps, coord)
	switch by.(type) {
	case value.Int, value.Lanes:
		out.Steps, out.Origin, out.Adrift = t.Steps, value.Binary("+", t.Origin, by), t.Adrift || t.Block == nil
	default:
		if t.Block == nil {
			out.Steps, out.Origin = t.Steps, value.Binary("+", t.Origin, by)
		}
	}
	return out, true
}

// LiesIn reports whether a coordinate is known to lie in a shape.
func LiesIn(shape, coord value.Value) bool {
	if c, ok := coord.(*value.Sequence); ok {
		s, ok := shape.(*value.Sequence)
		return ok && slices.EqualFunc(s.Elems, c.Elems, LiesIn)
	}
	n, ok := Product(shape).(value.Int)
	switch c := coord.(type) {
	case value.Int:
		return ok && 0 <= c && c < n
	case value.Lanes:
		return ok && 0 <= slices.Min(c) && slices.Max(c) < int64(n)
	}
	return false
}

// Congruent reports whether a coordinate has a part for each mode of a shape, or none for those within a mode.
func Congruent(shape, coord value.Value) bool {
	c, ok := coord.(*value.Sequence)
	if !ok {
		return true
	}
	s, ok := shape.(*value.Sequence)
	if !ok {
		return len(c.Elems) == 1 && Congruent(shape, c.Elems[0])
	}
	return slices.EqualFunc(s.Elems, c.Elems, Congruent)
}
