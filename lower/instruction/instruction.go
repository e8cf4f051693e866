// Package instruction is what integer instructions of inline PTX are worth, of what their registers hold.
package instruction

import (
	"strings"

	ints "github.com/fencepost-dev/fencepost/integer"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// instructionTypes are the types of integer instructions (PTX ISA 5.2.1). Those of bits have no sign.
var instructionTypes = map[string]ints.Type{"s8": ints.Int8, "u8": ints.Uint8, "b8": ints.Uint8, "s16": ints.Int16, "u16": ints.Uint16, "b16": ints.Uint16,
	"s32": ints.Int32, "u32": ints.Uint32, "b32": ints.Uint32, "s64": ints.Int64, "u64": ints.Uint64, "b64": ints.Uint64}

// typesOf are the integer types that an instruction names, in order. Of one that also names another type there are none.
func typesOf(i *program.Instr) (out []ints.Type) {
	for _, m := range i.Modifiers {
		if t, ok := instructionTypes[m]; ok {
			out = append(out, t)
		} else if floatTypes[m] {
			return nil
		}
	}
	return out
}

var floatTypes = value.Words("f16 f16x2 bf16 bf16x2 tf32 f32 f32x2 f64 e4m3 e5m2 e4m3x2 e5m2x2 u16x2 s16x2")

// instructionOperators are the instructions that take two numbers, as operators of package integer.
var instructionOperators = map[string]string{"add": "+", "sub": "-", "mul": "*", "div": "/", "rem": "%", "and": "&", "or": "|", "xor": "^",
	"shl": "<<", "shr": ">>", "min": "min", "max": "max"}

var comparisonsOf = map[string]string{"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}

// comparisonBy is setp, whose result may be joined with another predicate (PTX ISA 9.7.6.2).
func comparisonBy(i *program.Instr, reg func(string) value.Value, x, y value.Value, t ints.Type) value.Value {
	var v value.Value = value.Data{}
	for _, mod := range i.Modifiers {
		if op, ok := comparisonsOf[mod]; ok {
			v = value.Modular(op, x, y, t)
		}
	}
	if len(i.Operands) < 4 {
		return v
	}
	name, not := strings.CutPrefix(strings.TrimSpace(i.Operands[3].Text), "!")
	p := reg(name)
	if not {
		p = value.Unary("!", p)
	}
	for _, mod := range i.Modifiers {
		if op := map[string]string{"and": "&&", "or": "||", "xor": "!="}[mod]; op != "" {
			return value.Binary(op, value.TruthValue(v), value.TruthValue(p))
		}
	}
	return value.Data{}
}

// Computed is the result of an instruction, of what its registers hold; false for one that is not of integers or predicates.
func Computed(i *program.Instr, reg func(string) value.Value) (value.Value, bool) {
	arg := func(k int) value.Value {
		if k < len(i.Operands) && len(i.Operands[k].Vector) == 0 {
			return reg(i.Operands[k].Text)
		}
		return value.Data{}
	}
	if i.Has("pred") {
		return value.Logic(i.Op, arg)
	}
	types := typesOf(i)
	if i.Op == "mov" || i.Op == "cvta" {
		return arg(1), true
	}
	if i.Op == "selp" {
		return value.Selected(arg(1), arg(2), arg(3)), true
	}
	if len(types) == 0 || i.Has("sat") || i.Has("cc") {
		switch i.Op {
		case "cvt", "add", "sub", "mul", "mad", "div", "rem", "min", "max", "neg", "setp":
			return value.Data{}, true
		}
		return nil, false
	}
	t := types[0]
	in := func(k int) value.Value { return value.Converted(arg(k), t) }
	switch i.Op {
	case "cvt":
		if len(types) < 2 {
			return value.Data{}, true
		}
		return value.Converted(value.Converted(arg(1), types[1]), t), true
	case "mul":
		return value.ProductOf(i, in(1), in(2), t), true
	case "mad":
		to := t
		if i.Has("wide") {
			to.Bits *= 2
		}
		return value.Modular("+", value.ProductOf(i, in(1), in(2), t), value.Converted(arg(3), to), to), true
	case "shl", "shr":
		return value.Clamped(instructionOperators[i.Op], in(1), arg(2), t), true
	case "not":
		return value.Converted(value.Unary("~", in(1)), t), true
	case "neg":
		return value.Converted(value.Unary("-", in(1)), t), true
	case "setp":
		return comparisonBy(i, reg, in(1), in(2), t), true
	}
	if op, ok := instructionOperators[i.Op]; ok {
		return value.Modular(op, in(1), in(2), t), true
	}
	return nil, false
}

// BytesOf is the number of bytes an instruction loads or stores, by its type and vector.
func BytesOf(i *program.Instr) int64 {
	n := int64(1)
	for _, mod := range i.Modifiers {
		if w, ok := value.Sizes[mod]; ok {
			n *= w
		}
		switch mod {
		case "v2":
			n *= 2
		case "v4":
			n *= 4
		}
	}
	return n
}
