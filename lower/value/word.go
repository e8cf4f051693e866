package value

import (
	"math"
	"slices"

	ints "github.com/fencepost-dev/fencepost/integer"
	"github.com/fencepost-dev/fencepost/program"
)

// Word is a number of a type: an integer, lanes, a symbol or a mixed value of which it matters how wide it is and whether it
// has a sign. A number that is no word is one of Python or of the DSL's Int32, which take on each other's type where they meet.
type Word struct {
	V Value
	T ints.Type
}

// Typed is a number as one of a type.
func Typed(v Value, t ints.Type) Value {
	v = Converted(Untyped(v), t)
	if t == ints.Int32 || t == ints.Bool || !IsNumber(v) {
		return v
	}
	return Word{v, t}
}

// Untyped is a value without its type.
func Untyped(v Value) Value {
	if w, ok := v.(Word); ok {
		return w.V
	}
	return v
}

// UntypedAll is a value without its type, and a tuple without those of its parts.
func UntypedAll(v Value) Value {
	seq, ok := v.(*Sequence)
	if !ok || !slices.ContainsFunc(seq.Elems, typedPart) {
		return Untyped(v)
	}
	out := &Sequence{Elems: make([]Value, len(seq.Elems)), List: seq.List}
	for i, e := range seq.Elems {
		out.Elems[i] = UntypedAll(e)
	}
	return out
}

func typedPart(v Value) bool {
	switch v := v.(type) {
	case Word:
		return true
	case *Sequence:
		return len(v.Elems) <= maxTuple && slices.ContainsFunc(v.Elems, typedPart)
	}
	return false
}

// maxTuple bounds the parts of a shape or coordinate.
const maxTuple = 8

// IsNumber reports whether a value is a number, known or not.
func IsNumber(v Value) bool {
	switch v.(type) {
	case Int, Lanes, Symbol, Mixed, Word:
		return true
	}
	return false
}

// typeOfNumber is the type of a number. A number of Python is an Int32 where it is one (notes/cutedsl.md, promotion).
func typeOfNumber(v Value) ints.Type {
	switch v := v.(type) {
	case Word:
		return v.T
	case Int:
		if !ints.Int32.Holds(int64(v)) {
			return ints.Int64
		}
	}
	return ints.Int32
}

// Converted is a number as one of another type: what is congruent to it.
func Converted(v Value, t ints.Type) Value {
	switch v := v.(type) {
	case Int:
		return Int(t.Wrap(int64(v)))
	case Lanes:
		return Unary(t.String(), v)
	case Symbol:
		return convertedSymbol(v.Expr, t)
	case Mixed:
		if !t.Signed && t.Bits == 32 || t.Bits == 8 || t.Bits == 16 {
			return Unary(t.String(), v)
		}
	case Data:
		return v.narrowed(int64(t.Bits), true)
	}
	return v
}

// convertedSymbol leaves out conversions that change nothing: of what is not negative to types as wide as an int, which hold
// what sizes and counts come to, and of what has few values to narrower ones.
func convertedSymbol(e *Expr, t ints.Type) Value {
	least, most := rangeOfSymbol(e)
	switch {
	case t.Bits >= 64 || t.Bits <= 1, least >= t.Least() && (most <= t.Most() || t.Bits == 32 && most == math.MaxInt64):
		return Symbol{e}
	case t == ints.Int32: // of what was brought to 32 bits without a sign, the sign is back
		if e.Op == ints.Uint32.String() {
			return Symbol{e.X}
		}
		return Symbol{e}
	}
	return Symbol{&Expr{Op: t.String(), X: e, Size: e.Size + 1}}
}

// rangeOfSymbol bounds an expression; MaxInt64 and MinInt64 are no bounds. Unknowns are not negative, but for counts that
// are carried from round to round.
func rangeOfSymbol(e *Expr) (least, most int64) {
	switch {
	case e.IsConst:
		return e.Num, e.Num
	case e.Op == "":
		if HasLeaf(e) {
			return math.MinInt64, math.MaxInt64
		}
		return 0, math.MaxInt64
	case IsComparison(e.Op), e.Op == "&&", e.Op == "||", e.Op == "!":
		return 0, 1
	case e.Op == "?":
		a, b := rangeOfSymbol(e.X)
		c, d := rangeOfSymbol(e.Y)
		return min(a, c), max(b, d)
	}
	if t, ok := Conversions[e.Op]; ok && e.Y == nil {
		return t.Least(), t.Most()
	}
	if e.Y == nil {
		return math.MinInt64, math.MaxInt64
	}
	a, b := rangeOfSymbol(e.X)
	c, d := rangeOfSymbol(e.Y)
	switch e.Op {
	case "min":
		return min(a, c), min(b, d)
	case "max":
		return max(a, c), max(b, d)
	case "&":
		if a >= 0 && c >= 0 {
			return 0, min(b, d)
		} else if c >= 0 {
			return 0, d
		} else if a >= 0 {
			return 0, b
		}
	case "%":
		if c > 0 && d < math.MaxInt64 {
			return 0, d - 1
		}
	case Remainder:
		if a >= 0 && c > 0 && d < math.MaxInt64 {
			return 0, d - 1
		}
	}
	if a < 0 || c < 0 {
		return math.MinInt64, math.MaxInt64
	}
	const far = 1 << 30
	switch e.Op {
	case "+":
		if b < far && d < far {
			return 0, b + d
		}
		return 0, math.MaxInt64
	case "*":
		if b < far && d < far {
			return 0, b * d
		}
		return 0, math.MaxInt64
	case "//", "/", ">>":
		return 0, b
	case "|", "^", "<<", Remainder, "%":
		return 0, math.MaxInt64
	}
	return math.MinInt64, math.MaxInt64
}

// Remainder is the operator whose result has the sign of the dividend, as MLIR's remsi has; Python's % has that of
// the divisor.
const Remainder = "rem"

// Conversions are the operators that bring a number to a type.
var Conversions = func() map[string]ints.Type {
	out := map[string]ints.Type{}
	for _, t := range []ints.Type{ints.Bool, ints.Int8, ints.Uint8, ints.Int16, ints.Uint16, ints.Int32, ints.Uint32, ints.Int64, ints.Uint64} {
		out[t.String()] = t
	}
	return out
}()

// Wide are the operators on numbers of 64 bits without a sign that other types have by the plain ones.
var Wide = func() map[string]string {
	out := map[string]string{}
	for _, op := range []string{"/", "%", ">>", "<", "<=", ">", ">=", "min", "max"} {
		out[ints.Uint64.String()+op] = op
	}
	return out
}()

// wordArith applies an operator where an operand is a word; what is no number beside one takes part without its type.
func wordArith(op string, a, b Value) (Value, bool) {
	_, okx := a.(Word)
	_, oky := b.(Word)
	if !okx && !oky {
		return nil, false
	}
	if !IsNumber(a) || !IsNumber(b) || op == TrueDivision || op == "**" || op == "&&" || op == "||" {
		return Binary(op, Untyped(a), Untyped(b)), true
	}
	return NumberArith(op, a, b), true
}

// NumberArith applies an operator to numbers.
func NumberArith(op string, a, b Value) Value {
	tx, ty := typeOfNumber(a), typeOfNumber(b)
	x, y := Untyped(a), Untyped(b)
	switch op {
	case "is":
		op = "=="
	case "is not":
		op = "!="
	}
	t := promoted(tx, ty)
	return inType(op, extended(x, tx, t), extended(y, ty, t), t)
}

// extended is a conversion of the DSL: what has a sign is filled up with zeros where it becomes a wider type without one
// (int_to_int in cutlass/_mlir_helpers/arith.py). Of a number of Python, which is converted when the program is traced, that
// is not so, and a known number may be either.
func extended(v Value, from, to ints.Type) Value {
	if !from.Signed || to.Signed || to.Bits <= from.Bits {
		return Converted(v, to)
	}
	if least, _ := RangeOfNumber(v); least >= 0 {
		return Converted(v, to)
	}
	if _, known := v.(Int); known {
		return Data{}
	}
	return Converted(Converted(v, ints.Type{Bits: from.Bits}), to)
}

// promoted is the type of an operation of the DSL: the wider one; of two of one width that without a sign, as where that without
// a sign is the wider.
func promoted(a, b ints.Type) ints.Type {
	switch {
	case a.Signed != b.Signed && !a.Signed && a.Bits >= b.Bits, a.Signed == b.Signed && a.Bits >= b.Bits:
		return a
	case a.Signed != b.Signed && a.Signed && a.Bits > b.Bits:
		return a
	}
	return b
}

// inType applies an operator to operands of a type.
func inType(op string, x, y Value, t ints.Type) Value {
	if n, ok := y.(Int); ok && (op == "<<" || op == ">>") && (n < 0 || n >= Int(t.Bits)) {
		return Data{} // not defined
	}
	switch {
	case op == "%" && t.Signed:
		op = Remainder
	case op == "//" && !t.Signed:
		op = "/"
	}
	if t == ints.Uint64 && Wide[t.String()+op] != "" {
		least, _ := RangeOfNumber(x)
		other, _ := RangeOfNumber(y)
		if least < 0 || other < 0 {
			op = t.String() + op
		}
	}
	if op == Remainder {
		if least, _ := RangeOfNumber(x); least >= 0 {
			if other, _ := RangeOfNumber(y); other >= 0 {
				op = "%"
			}
		}
	}
	if op == "/" && !t.Signed {
		op = "//"
	}
	v := Binary(op, x, y)
	if IsComparison(op) || IsComparison(Wide[op]) {
		return v
	}
	return Typed(v, t)
}

// CommonType is a word of the type to which two numbers, of which one is a word, are brought where either may be the value.
func CommonType(a, b Value) (Word, bool) {
	_, okx := a.(Word)
	_, oky := b.(Word)
	t := typeOfNumber(a)
	return Word{T: t}, IsNumber(a) && IsNumber(b) && (okx || oky) && t == typeOfNumber(b)
}

// RangeOfNumber bounds a number.
func RangeOfNumber(v Value) (least, most int64) {
	switch v := v.(type) {
	case Int:
		return int64(v), int64(v)
	case Lanes:
		least, most = math.MaxInt64, math.MinInt64
		for _, n := range v {
			least, most = min(least, n), max(most, n)
		}
		return least, most
	case Symbol:
		return rangeOfSymbol(v.Expr)
	case Mixed:
		if t, ok := Conversions[v.Op]; ok && v.Y == nil {
			return t.Least(), t.Most()
		}
		if IsComparison(v.Op) {
			return 0, 1
		}
	}
	return math.MinInt64, math.MaxInt64
}

// wordUnary applies "-", "+", "~" or "!" to a word.
func wordUnary(op string, w Word) Value {
	if op == "!" {
		return Unary(op, w.V)
	}
	return Typed(Unary(op, Converted(w.V, w.T)), w.T)
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

func Mix(t Lanes, a, b Value) Value {
	if p, ok := a.(Pointer); ok {
		q, ok := b.(Pointer)
		if ok && p.Block == q.Block && p.Cta == nil && q.Cta == nil && p.Each == q.Each && slices.Equal(p.Dims, q.Dims) && Canonical(p.Elem) == Canonical(q.Elem) {
			if at := Mix(t, p.Offset, q.Offset); at != (Data{}) {
				p.Offset = at
				return p
			}
		}
		return Data{}
	}
	if w, ok := CommonType(a, b); ok {
		return Typed(Mix(t, Converted(Untyped(a), w.T), Converted(Untyped(b), w.T)), w.T)
	}
	out := make(Lanes, len(t))
	pick := func(v Value, i int) (int64, bool) {
		switch v := v.(type) {
		case Int:
			return int64(v), true
		case Lanes:
			return v[i], len(v) == len(t)
		}
		return 0, false
	}
	for i, x := range t {
		src := a
		if x == 0 {
			src = b
		}
		v, ok := pick(src, i)
		if !ok {
			return Data{}
		}
		out[i] = v
	}
	return out.Shrink()
}
