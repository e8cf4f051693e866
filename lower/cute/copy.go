package cute

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// CopyAtom is a copy instruction as a value. Its kind says which engine performs it: "load" and "store" (TMA),
// "cp.async", "tcgen05.cp", "warp" (all lanes at once, .sync.aligned), "thread".
func CopyAtom(kind string) *value.Object {
	return &value.Object{Fields: map[string]value.Value{"kind": value.Text(kind)}}
}

// AtomOf is the copy atom that performs an operation; anything else stays what it is.
func AtomOf(op value.Value) value.Value {
	o, ok := op.(*value.Object)
	if !ok || AtomKind(o) == "" {
		return op
	}
	c := *o
	c.Fields = maps.Clone(o.Fields)
	c.Fields["op"] = o
	return &c
}

// OperationInstance is isinstance(op, class) for a copy operation of the library. Its base classes are those of copies,
// of tensor copies by TMA, and abstract ones; no operation is derived from another.
func OperationInstance(o *value.Object, class string) value.Value {
	own, ok := o.Fields["class"].(value.Text)
	switch short := value.LastWord(class); {
	case !ok || o.Fields["op"] != nil || strings.Contains(short, "Base"):
		return value.Data{}
	case short == "CopyOp" || short == "object":
		return value.Int(1)
	case short == "TmaCopyOp":
		return value.Bool(strings.Contains(string(own), "BulkTensor"))
	default:
		return value.Bool(short == string(own))
	}
}

// AtomKind is the kind of a copy atom, "" for anything else.
func AtomKind(v value.Value) string {
	if o, ok := v.(*value.Object); ok && o.Class == nil {
		if k, ok := o.Fields["kind"].(value.Text); ok {
			return string(k)
		}
	}
	return ""
}

// CopyOperation is an instance of one of the library's copy operation classes.
func CopyOperation(name string, a *value.Arguments) value.Value {
	c := CopyAtom(copyKind(value.LastWord(name)))
	c.Fields["class"] = value.Text(value.LastWord(name))
	c.Fields["multicast"] = value.Bool(strings.Contains(value.LastWord(name), "Multicast"))
	c.Fields["cta_group"] = value.FirstOf(a.Get(0, "cta_group"), value.None{})
	if storesTensorMemory(value.LastWord(name)) {
		c.Fields["stores"] = value.Int(1)
	}
	if tensorOperation(value.LastWord(name)) {
		c.Fields["tmem"], c.Fields["registers"] = value.Int(1), value.Text("D")
		if c.Fields["stores"] != nil {
			c.Fields["registers"] = value.Text("S")
		}
	}
	if columns := tmemColumns(value.LastWord(name), a); columns > 0 {
		c.Fields["columns"] = value.Int(columns)
	}
	return c
}

// OperationOf is the library's copy operation that an object of a class derived from one stands for.
func OperationOf(v value.Value) value.Value {
	o, ok := v.(*value.Object)
	if !ok || o.Class == nil {
		return v
	}
	for _, base := range o.Class.Outside() {
		if short := value.LastWord(base); strings.HasPrefix(short, "Copy") && strings.HasSuffix(short, "Op") {
			return CopyOperation(base, &value.Arguments{Names: []string{"cta_group"}, Named: []value.Value{value.FirstOf(o.Fields["cta_group"], value.None{})}})
		}
	}
	return v
}

// copyKind tells from the name of a copy operation's class which engine performs it.
func copyKind(short string) string {
	switch {
	case strings.Contains(short, "Bulk") && strings.Contains(short, "G2S"):
		return "load"
	case strings.Contains(short, "Bulk") && (strings.Contains(short, "S2G") || strings.Contains(short, "Reduce")):
		return "store"
	case WarpWide(short):
		return "warp"
	case strings.HasPrefix(short, "CopyG2S"):
		return "cp.async"
	case strings.HasPrefix(short, "Cp"):
		if strings.HasPrefix(short, "Copy") {
			return "thread"
		}
		return "tcgen05.cp"
	}
	return "thread"
}

// Threads reports whether a copy atom that is not known is surely not TMA's: one made in the kernel by a library function.
func Threads(atom value.Value) bool {
	_, isData := atom.(value.Data)
	return isData
}

// WarpWide reports whether a copy operation is one instruction of a whole warp: ldmatrix, stmatrix (PTX ISA 9.7.14.5.15
// and 16), tcgen05.ld and tcgen05.st.
func WarpWide(short string) bool {
	return strings.HasPrefix(short, "LdMatrix") || strings.HasPrefix(short, "StMatrix") || tensorOperation(short)
}

// tensorOperation reports whether a copy operation is tcgen05.ld or tcgen05.st.
func tensorOperation(short string) bool {
	for _, w := range []string{"Ld16x", "Ld32x", "LdRed", "St16x", "St32x"} {
		if strings.HasPrefix(short, w) {
			return true
		}
	}
	return false
}

// storesTensorMemory reports whether a copy operation is tcgen05.st.
func storesTensorMemory(short string) bool {
	return strings.HasPrefix(short, "St16x") || strings.HasPrefix(short, "St32x")
}

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

// IsTensorCopy reports whether a copy is one between tensor memory and registers.
func IsTensorCopy(v value.Value) bool {
	return AtomKind(v) == "warp" && v.(*value.Object).Fields["tmem"] != nil
}

// Copies between tensor memory and registers. Of an instruction of shape .32x32b a warp has the 32 lanes that are its own,
// and each of its threads as many 32-bit columns of one lane as the instruction repeats (PTX ISA 9.7.16.2.3.1); four warps
// reach the 128 lanes. The other shapes spread a lane's columns over threads and are not followed.

var repetition = regexp.MustCompile(`Repetition(?:\.x|\()(\d{1,3})\)?$`)

// tmemColumns is how many columns one instruction of an operation class copies, 0 where that is not known.
func tmemColumns(class string, a *value.Arguments) int64 {
	if class = strings.TrimPrefix(strings.TrimPrefix(class, "Ld"), "Red"); class != "32x32bOp" && class != "St32x32bOp" {
		return 0
	}
	times := repetition.FindStringSubmatch(value.Canonical(value.FirstOf(a.Get(0, "repeat"), value.Data{})))
	if times == nil {
		return 0
	}
	n, _ := strconv.ParseInt(times[1], 10, 64)
	return n
}

// TmemCopy is make_tmem_copy(atom, tensor): the copy of a tile by the warps that reach its lanes.
func TmemCopy(of, tensor value.Value, a *value.Arguments) *value.Object {
	c := CopyAtom("warp")
	c.Fields["tmem"], c.Fields["made"] = value.Int(1), SpelledArguments(a)
	o, ok := of.(*value.Object)
	if !ok || AtomKind(o) != "warp" {
		return c
	}
	c.Fields["registers"] = value.FirstOf(o.Fields["registers"], value.None{})
	op, ok := o.Fields["op"].(*value.Object)
	if !ok {
		return c
	}
	if op.Fields["stores"] != nil {
		c.Fields["stores"] = op.Fields["stores"]
	}
	columns, ok1 := op.Fields["columns"].(value.Int)
	rows, ok2 := Product(Part(ShapeOf(value.FirstOf(tensor, value.Data{})), 0)).(value.Int)
	if bits := value.BitsOf(value.FirstOf(o.Fields["dtype"], value.Data{})); ok1 && ok2 && bits == 32 && rows == 128 {
		c.Fields["op"], c.Fields["dtype"] = op, o.Fields["dtype"]
		c.Fields["tiler_mn"], c.Fields["values"], c.Fields["size"] = Tuple(rows, columns), columns, rows
	}
	return c
}

// tmemThreads is how many threads copy a tile of tensor memory: four warps, each of which reaches 32 of the 128 lanes.
const tmemThreads = 128

// SpelledArguments spells all that a call is given, and is data where part of that is not known: two calls that are spelled alike make the
// same.
func SpelledArguments(a *value.Arguments) value.Value {
	parts := make([]string, 0, len(a.Vals)+len(a.Named))
	for _, v := range a.Vals {
		parts = append(parts, spelledWhole(v))
	}
	for i, v := range a.Named {
		parts = append(parts, a.Names[i]+"="+spelledWhole(v))
	}
	if a.Open || slices.Contains(parts, "") {
		return value.Data{}
	}
	return value.Text(strings.Join(parts, ", "))
}

// spelledWhole spells what is given to make a copy, "" where part of it is not known.
func spelledWhole(v value.Value) string {
	switch v := v.(type) {
	case value.Data, value.Mixed, value.Lanes:
		return ""
	case *Tensor: // its name says how it was derived
		return v.Name + " " + value.Canonical(v.Shape)
	case *Layout:
		return spelledWhole(Tuple(v.Shape, v.Strides()))
	case *value.Sequence:
		out := "("
		for _, e := range v.Elems {
			s := spelledWhole(e)
			if s == "" {
				return ""
			}
			out += s + " "
		}
		return out + ")"
	case *value.Object:
		out := "{"
		for _, name := range slices.Sorted(maps.Keys(v.Fields)) {
			s := spelledWhole(v.Fields[name])
			if s == "" {
				return ""
			}
			out += name + "=" + s + " "
		}
		return out + "}"
	}
	return value.Canonical(v)
}
