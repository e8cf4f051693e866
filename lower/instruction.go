package lower

import (
	"strings"

	ints "github.com/fencepost-dev/fencepost/integer"
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

var floatTypes = Words("f16 f16x2 bf16 bf16x2 tf32 f32 f32x2 f64 e4m3 e5m2 e4m3x2 e5m2x2 u16x2 s16x2")

// operators are the instructions that take two numbers, as operators of package integer.
var operators = map[string]string{"add": "+", "sub": "-", "mul": "*", "div": "/", "rem": "%", "and": "&", "or": "|", "xor": "^",
	"shl": "<<", "shr": ">>", "min": "min", "max": "max"}

var comparisonsOf = map[string]string{"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}

// arith executes the integer instructions that addresses, counts and predicates are made of (PTX ISA 9.7.1, 9.7.5, 9.7.8). It
// brings what a register holds to the type of each instruction that reads it: registers have a width, and no sign.
func (e *ptxRegs) arith(i *program.Instr) bool {
	v, ok := e.computed(i)
	if !ok {
		return false
	}
	if len(i.Operands) == 0 {
		return true
	}
	if len(i.Operands[0].Vector) > 0 {
		e.forget(i)
		return true
	}
	d := i.Operands[0].Text
	if i.Pred != "" { // a guarded write keeps the old value in the other lanes
		p := e.reg(i.Pred)
		if i.PredNot {
			p = Unary("!", p)
		}
		switch p := TruthValue(p).(type) {
		case Int:
			if p == 0 {
				return true
			}
		case Lanes:
			v = Mix(p, v, e.reg(d))
		default:
			v = Data{}
		}
	}
	if p, q, two := strings.Cut(d, "|"); two && i.Op == "setp" { // the second predicate is the negation
		e.set(p, v)
		e.set(q, Unary("!", v))
		return true
	}
	e.set(d, v)
	return true
}

// comparison is setp, whose result may be joined with another predicate (PTX ISA 9.7.6.2).
func (e *ptxRegs) comparison(i *program.Instr, x, y Value, t ints.Type) Value {
	var v Value = Data{}
	for _, mod := range i.Modifiers {
		if op, ok := comparisonsOf[mod]; ok {
			v = Modular(op, x, y, t)
		}
	}
	if len(i.Operands) < 4 {
		return v
	}
	name, not := strings.CutPrefix(strings.TrimSpace(i.Operands[3].Text), "!")
	p := e.reg(name)
	if not {
		p = Unary("!", p)
	}
	for _, mod := range i.Modifiers {
		if op := map[string]string{"and": "&&", "or": "||", "xor": "!="}[mod]; op != "" {
			return Binary(op, TruthValue(v), TruthValue(p))
		}
	}
	return Data{}
}

// computed is the result of an instruction; false for one that is not of integers or predicates.
func (e *ptxRegs) computed(i *program.Instr) (Value, bool) {
	arg := func(k int) Value {
		if k < len(i.Operands) && len(i.Operands[k].Vector) == 0 {
			return e.reg(i.Operands[k].Text)
		}
		return Data{}
	}
	if i.Has("pred") {
		return Logic(i.Op, arg)
	}
	types := typesOf(i)
	if i.Op == "mov" || i.Op == "cvta" {
		return arg(1), true
	}
	if i.Op == "selp" {
		return Selected(arg(1), arg(2), arg(3)), true
	}
	if len(types) == 0 || i.Has("sat") || i.Has("cc") {
		switch i.Op {
		case "cvt", "add", "sub", "mul", "mad", "div", "rem", "min", "max", "neg", "setp":
			return Data{}, true
		}
		return nil, false
	}
	t := types[0]
	in := func(k int) Value { return Converted(arg(k), t) }
	switch i.Op {
	case "cvt":
		if len(types) < 2 {
			return Data{}, true
		}
		return Converted(Converted(arg(1), types[1]), t), true
	case "mul":
		return ProductOf(i, in(1), in(2), t), true
	case "mad":
		to := t
		if i.Has("wide") {
			to.Bits *= 2
		}
		return Modular("+", ProductOf(i, in(1), in(2), t), Converted(arg(3), to), to), true
	case "shl", "shr":
		return Clamped(operators[i.Op], in(1), arg(2), t), true
	case "not":
		return Converted(Unary("~", in(1)), t), true
	case "neg":
		return Converted(Unary("-", in(1)), t), true
	case "setp":
		return e.comparison(i, in(1), in(2), t), true
	}
	if op, ok := operators[i.Op]; ok {
		return Modular(op, in(1), in(2), t), true
	}
	return nil, false
}

// Modular applies an operator to operands of a type as PTX does: nothing of it is undefined but a division by zero.
func Modular(op string, x, y Value, t ints.Type) Value {
	if !IsNumber(x) || !IsNumber(y) {
		return Binary(op, x, y)
	}
	return Untyped(inType(op, x, y, t))
}

// ProductOf is mul.lo, mul.wide or mul.hi.
func ProductOf(i *program.Instr, x, y Value, t ints.Type) Value {
	switch {
	case i.Has("wide"):
		t.Bits *= 2
	case i.Has("hi"):
		a, oka := x.(Int)
		b, okb := y.(Int)
		if !oka || !okb {
			return Data{}
		}
		return Int(t.Wrap(t.High(int64(a), int64(b))))
	}
	return Modular("*", x, y, t)
}

// Clamped is shl or shr: an amount beyond the width is as the width (PTX ISA 9.7.8.8, 9.7.8.9).
func Clamped(op string, x, y Value, t ints.Type) Value {
	a, oka := PerLane(x)
	b, okb := PerLane(y)
	switch {
	case oka && okb:
		n := max(len(a), len(b))
		out := make(Lanes, n)
		for k := range out {
			out[k] = t.Clamped(op, a[k%len(a)], b[k%len(b)])
		}
		return out.Shrink()
	case !okb || len(b) > 1:
		return Data{}
	}
	amount := int64(uint32(b[0]))
	switch {
	case amount < int64(t.Bits):
		return Modular(op, x, Int(amount), t)
	case op == ">>" && t.Signed:
		return Modular(op, x, Int(t.Bits-1), t)
	}
	return Int(0)
}

// PerLane is a known number, as one for all lanes or one for each.
func PerLane(v Value) (Lanes, bool) {
	switch v := v.(type) {
	case Int:
		return Lanes{int64(v)}, true
	case Lanes:
		return v, true
	}
	return nil, false
}

// Logic executes the instructions of predicates.
func Logic(op string, arg func(int) Value) (Value, bool) {
	switch op {
	case "mov":
		return arg(1), true
	case "not":
		return Unary("!", arg(1)), true
	case "and":
		return Binary("&&", arg(1), arg(2)), true
	case "or":
		return Binary("||", arg(1), arg(2)), true
	case "xor":
		return Binary("!=", arg(1), arg(2)), true
	case "selp":
		return Selected(arg(1), arg(2), arg(3)), true
	}
	return nil, false
}

// Selected is selp: x where the predicate holds, else y.
func Selected(x, y, p Value) Value {
	switch p := p.(type) {
	case Int:
		if p != 0 {
			return x
		}
		return y
	case TryResult:
		a, okA := x.(Int)
		b, okB := y.(Int)
		switch {
		case okA && okB && a == 1 && b == 0:
			return p
		case okA && okB && a == 0 && b == 1:
			return Unary("!", p)
		}
	case Lanes:
		return Mix(p, x, y)
	}
	return Data{}
}
