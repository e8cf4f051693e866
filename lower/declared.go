package lower

import (
	"slices"
	"strings"

	ints "github.com/fencepost-dev/fencepost/integer"
)

// declared is the type with which C++ declares a place or a result: what is put there becomes a number of it. nil is a type
// that is no number, or the one that whatever is put there has.
type declared struct {
	t     ints.Type // not Known where the type is not read
	float bool
}

// of is a value as one of the declared type.
func (d *declared) of(v value) value {
	switch {
	case d == nil || !isNumber(v):
		return v
	case !d.t.Known():
		return word{untyped(v), d.t, true}
	}
	return typed(v, d.t, true)
}

// numberNames are the names of C++'s integer types in the data model of CUDA (LP64), as their words in order of the alphabet.
var numberNames = func() map[string]ints.Type {
	out := map[string]ints.Type{}
	for t, names := range map[ints.Type]string{
		ints.Bool: "bool", ints.Int8: "char,char signed,int8_t", ints.Uint8: "char unsigned,uint8_t,uchar,byte",
		ints.Int16: "short,int short,int16_t,short signed,int short signed", ints.Uint16: "short unsigned,int short unsigned,uint16_t,ushort",
		ints.Int32:  "int,signed,int signed,int32_t",
		ints.Uint32: "unsigned,int unsigned,uint32_t,uint,u_int",
		ints.Int64:  "long,int long,long long,int long long,long signed,long long signed,int64_t,ptrdiff_t,ssize_t,intptr_t",
		ints.Uint64: "long unsigned,int long unsigned,long long unsigned,int long long unsigned,uint64_t,size_t,uintptr_t,ulong",
	} {
		for _, name := range strings.Split(names, ",") {
			out[name] = t
		}
	}
	return out
}()

// floatNames are the names of types that are numbers and no integers.
var floatNames = words("float double half __half __nv_bfloat16 nv_bfloat16 __half2 __nv_bfloat162 float2 float4 double2 half2 bfloat16_t half_t")

// maxAliases bounds how often the name of a type stands for another.
const maxAliases = 16

// declares is the type that a declaration names where it stands.
func (m *machine) declares(s *scope) *declared {
	return nil
}

// plainType is a type without qualifiers and namespaces of the standard library, its words in order of the alphabet.
func plainType(typ string) string {
	var out []string
	for _, w := range strings.Fields(typ) {
		switch w = strings.TrimPrefix(strings.TrimPrefix(w, "::"), "std::"); w {
		case "const", "volatile", "__restrict__", "typename":
		default:
			out = append(out, w)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// isAddress reports whether a symbol is one of the kernel's pointers, or made of one and an offset: C++ does not bring these
// to a type.
func (m *machine) isAddress(v value) bool {
	switch v := untyped(v).(type) {
	case symbol:
		return m.isAddressExpr(v.expr)
	case mixed:
		return (v.op == "+" || v.op == "-") && v.y != nil && (m.isAddress(v.x) || m.isAddress(v.y))
	}
	return false
}

func (m *machine) isAddressExpr(e *symExpr) bool {
	switch {
	case e.isN:
		return false
	case e.op == "":
		return m.in.addresses[e.atom]
	}
	return (e.op == "+" || e.op == "-") && e.y != nil && (m.isAddressExpr(e.x) || m.isAddressExpr(e.y))
}
