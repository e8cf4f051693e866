package lower

import (
	"maps"
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
