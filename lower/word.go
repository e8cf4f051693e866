package lower

import (
	"math"
	"slices"

	ints "github.com/fencepost-dev/fencepost/integer"
)

// word is a number of a type: an integer, lanes, a symbol or a mixed value of which it matters how wide it is and whether it
// has a sign. A number that is no word is one of Python or of the DSL's Int32, which take on each other's type where they meet.
type word struct {
	v value
	t ints.Type
}

// typed is a number as one of a type.
func typed(v value, t ints.Type) value {
	v = converted(untyped(v), t)
	if t == ints.Int32 || t == ints.Bool || !isNumber(v) {
		return v
	}
	return word{v, t}
}

// untyped is a value without its type.
func untyped(v value) value {
	if w, ok := v.(word); ok {
		return w.v
	}
	return v
}

// untypedAll is a value without its type, and a tuple without those of its parts.
func untypedAll(v value) value {
	seq, ok := v.(*sequence)
	if !ok || !slices.ContainsFunc(seq.elems, typedPart) {
		return untyped(v)
	}
	out := &sequence{elems: make([]value, len(seq.elems)), list: seq.list}
	for i, e := range seq.elems {
		out.elems[i] = untypedAll(e)
	}
	return out
}

func typedPart(v value) bool {
	switch v := v.(type) {
	case word:
		return true
	case *sequence:
		return len(v.elems) <= maxTuple && slices.ContainsFunc(v.elems, typedPart)
	}
	return false
}

// maxTuple bounds the parts of a shape or coordinate.
const maxTuple = 8

// isNumber reports whether a value is a number, known or not.
func isNumber(v value) bool {
	switch v.(type) {
	case integer, lanes, symbol, mixed, word:
		return true
	}
	return false
}

// typeOfNumber is the type of a number. A number of Python is an Int32 where it is one (notes/cutedsl.md, promotion).
func typeOfNumber(v value) ints.Type {
	switch v := v.(type) {
	case word:
		return v.t
	case integer:
		if !ints.Int32.Holds(int64(v)) {
			return ints.Int64
		}
	}
	return ints.Int32
}

// converted is a number as one of another type: what is congruent to it.
func converted(v value, t ints.Type) value {
	switch v := v.(type) {
	case integer:
		return integer(t.Wrap(int64(v)))
	case lanes:
		return unary(t.String(), v)
	case symbol:
		return convertedSymbol(v.expr, t)
	case mixed:
		if !t.Signed && t.Bits == 32 || t.Bits == 8 || t.Bits == 16 {
			return unary(t.String(), v)
		}
	}
	return v
}

// convertedSymbol leaves out conversions that change nothing: of what is not negative to types as wide as an int, which hold
// what sizes and counts come to, and of what has few values to narrower ones.
func convertedSymbol(e *symExpr, t ints.Type) value {
	least, most := rangeOfSymbol(e)
	switch {
	case t.Bits >= 64 || t.Bits <= 1, least >= t.Least() && (most <= t.Most() || t.Bits == 32 && most == math.MaxInt64):
		return symbol{e}
	case t == ints.Int32: // of what was brought to 32 bits without a sign, the sign is back
		if e.op == ints.Uint32.String() {
			return symbol{e.x}
		}
		return symbol{e}
	}
	return symbol{&symExpr{op: t.String(), x: e, size: e.size + 1}}
}

// rangeOfSymbol bounds an expression; MaxInt64 and MinInt64 are no bounds. Unknowns are not negative, but for counts that
// are carried from round to round.
func rangeOfSymbol(e *symExpr) (least, most int64) {
	switch {
	case e.isN:
		return e.num, e.num
	case e.op == "":
		if hasLeaf(e) {
			return math.MinInt64, math.MaxInt64
		}
		return 0, math.MaxInt64
	case isComparison(e.op), e.op == "&&", e.op == "||", e.op == "!":
		return 0, 1
	case e.op == "?":
		a, b := rangeOfSymbol(e.x)
		c, d := rangeOfSymbol(e.y)
		return min(a, c), max(b, d)
	}
	if t, ok := conversions[e.op]; ok && e.y == nil {
		return t.Least(), t.Most()
	}
	if e.y == nil {
		return math.MinInt64, math.MaxInt64
	}
	a, b := rangeOfSymbol(e.x)
	c, d := rangeOfSymbol(e.y)
	switch e.op {
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
	case remainder:
		if a >= 0 && c > 0 && d < math.MaxInt64 {
			return 0, d - 1
		}
	}
	if a < 0 || c < 0 {
		return math.MinInt64, math.MaxInt64
	}
	const far = 1 << 30
	switch e.op {
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
	case "|", "^", "<<", remainder, "%":
		return 0, math.MaxInt64
	}
	return math.MinInt64, math.MaxInt64
}

// remainder is the operator whose result has the sign of the dividend, as MLIR's remsi has; Python's % has that of
// the divisor.
const remainder = "rem"

// conversions are the operators that bring a number to a type.
var conversions = func() map[string]ints.Type {
	out := map[string]ints.Type{}
	for _, t := range []ints.Type{ints.Bool, ints.Int8, ints.Uint8, ints.Int16, ints.Uint16, ints.Int32, ints.Uint32, ints.Int64, ints.Uint64} {
		out[t.String()] = t
	}
	return out
}()

// wide are the operators on numbers of 64 bits without a sign that other types have by the plain ones.
var wide = func() map[string]string {
	out := map[string]string{}
	for _, op := range []string{"/", "%", ">>", "<", "<=", ">", ">=", "min", "max"} {
		out[ints.Uint64.String()+op] = op
	}
	return out
}()

// wordArith applies an operator where an operand is a word; what is no number beside one takes part without its type.
func wordArith(op string, a, b value) (value, bool) {
	_, okx := a.(word)
	_, oky := b.(word)
	if !okx && !oky {
		return nil, false
	}
	if !isNumber(a) || !isNumber(b) || op == trueDivision || op == "**" || op == "&&" || op == "||" {
		return binary(op, untyped(a), untyped(b)), true
	}
	return numberArith(op, a, b), true
}

// numberArith applies an operator to numbers.
func numberArith(op string, a, b value) value {
	tx, ty := typeOfNumber(a), typeOfNumber(b)
	x, y := untyped(a), untyped(b)
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
func extended(v value, from, to ints.Type) value {
	if !from.Signed || to.Signed || to.Bits <= from.Bits {
		return converted(v, to)
	}
	if least, _ := rangeOfNumber(v); least >= 0 {
		return converted(v, to)
	}
	if _, known := v.(integer); known {
		return data{}
	}
	return converted(converted(v, ints.Type{Bits: from.Bits}), to)
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
func inType(op string, x, y value, t ints.Type) value {
	if n, ok := y.(integer); ok && (op == "<<" || op == ">>") && (n < 0 || n >= integer(t.Bits)) {
		return data{} // not defined
	}
	switch {
	case op == "%" && t.Signed:
		op = remainder
	case op == "//" && !t.Signed:
		op = "/"
	}
	if t == ints.Uint64 && wide[t.String()+op] != "" {
		least, _ := rangeOfNumber(x)
		other, _ := rangeOfNumber(y)
		if least < 0 || other < 0 {
			op = t.String() + op
		}
	}
	if op == remainder {
		if least, _ := rangeOfNumber(x); least >= 0 {
			if other, _ := rangeOfNumber(y); other >= 0 {
				op = "%"
			}
		}
	}
	if op == "/" && !t.Signed {
		op = "//"
	}
	v := binary(op, x, y)
	if isComparison(op) || isComparison(wide[op]) {
		return v
	}
	return typed(v, t)
}

// commonType is a word of the type to which two numbers, of which one is a word, are brought where either may be the value.
func commonType(a, b value) (word, bool) {
	_, okx := a.(word)
	_, oky := b.(word)
	t := typeOfNumber(a)
	return word{t: t}, isNumber(a) && isNumber(b) && (okx || oky) && t == typeOfNumber(b)
}

// rangeOfNumber bounds a number.
func rangeOfNumber(v value) (least, most int64) {
	switch v := v.(type) {
	case integer:
		return int64(v), int64(v)
	case lanes:
		least, most = math.MaxInt64, math.MinInt64
		for _, n := range v {
			least, most = min(least, n), max(most, n)
		}
		return least, most
	case symbol:
		return rangeOfSymbol(v.expr)
	case mixed:
		if t, ok := conversions[v.op]; ok && v.y == nil {
			return t.Least(), t.Most()
		}
		if isComparison(v.op) {
			return 0, 1
		}
	}
	return math.MinInt64, math.MaxInt64
}

// wordUnary applies "-", "+", "~" or "!" to a word.
func wordUnary(op string, w word) value {
	if op == "!" {
		return unary(op, w.v)
	}
	return typed(unary(op, converted(w.v, w.t)), w.t)
}
