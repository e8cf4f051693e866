package lower

import (
	"strings"

	ints "github.com/fencepost-dev/fencepost/integer"
)

// NumberKind is a number type of the DSL or of PTX.
type NumberKind struct {
	Bits    int64
	Float   bool
	Integer bool
	Number  ints.Type // of integers of 8 to 64 bits
}

// number types by the names the languages use. Names with an upper-case first letter are the DSL's.
var numberKinds = func() map[string]*NumberKind {
	out := map[string]*NumberKind{}
	add := func(bits int64, isFloat bool, names string) {
		for name := range Words(names) {
			out[name] = &NumberKind{Bits: bits, Float: isFloat, Integer: !isFloat}
		}
	}
	add(1, false, "Boolean")
	add(4, false, "Int4 Uint4")
	add(128, false, "Int128 Uint128")
	for name, t := range map[string]ints.Type{"Int8": ints.Int8, "Uint8": ints.Uint8, "Int16": ints.Int16, "Uint16": ints.Uint16,
		"Int32": ints.Int32, "Uint32": ints.Uint32, "Int64": ints.Int64, "Uint64": ints.Uint64} {
		out[name] = &NumberKind{Bits: int64(t.Bits), Integer: true, Number: t}
	}
	add(4, true, "Float4E2M1FN")
	add(6, true, "Float6E3M2FN Float6E2M3FN")
	add(8, true, "Float8E4M3FN Float8E5M2 Float8E4M3B11FNUZ Float8E4M3 Float8E8M0FNU Float8E3M4 Float8E4M3FNUZ Float8E5M2FNUZ")
	add(16, true, "Float16 BFloat16")
	add(32, true, "Float32 TFloat32")
	add(64, true, "Float64")
	return out
}()

// NumberType is the DSL's number type of that name, or nil.
func NumberType(name string) *NumberKind { return numberKinds[name] }

// typeMember is an attribute of one of the DSL's number types.
func (k *NumberKind) Member(name string) (Value, bool) {
	switch name {
	case "width":
		return Int(k.Bits), true
	case "is_float":
		return Bool(k.Float), true
	case "is_integer":
		return Bool(k.Integer), true
	}
	return nil, false
}

// SameKind is T.is_same_kind(U) for number types: both floating-point or both integer.
func SameKind(name string, a *Arguments) (Value, bool) {
	t, method, _ := strings.Cut(name[strings.LastIndexByte(strings.TrimSuffix(name, ".is_same_kind"), '.')+1:], ".")
	other, ok := a.Arg(0).(Path)
	if !ok || method != "is_same_kind" {
		return nil, false
	}
	x, y := NumberType(t), NumberType(LastWord(string(other)))
	if x == nil || y == nil {
		return nil, false
	}
	return Bool(x.Float == y.Float), true
}
