package lower

import (
	"strings"

	ints "github.com/fencepost-dev/fencepost/integer"
)

// binary applies an operator: to words by the rules of their language, to other numbers as Python does, without bounds. "/"
// rounds towards zero, "//" down; the result of remainder has the sign of the dividend, that of "%" the divisor's.
func binary(op string, a, b value) value {
	if x, ok := a.(integer); ok {
		if y, ok := b.(integer); ok {
			return arith(op, int64(x), int64(y))
		}
	}
	if v, ok := wordArith(op, a, b); ok {
		return v
	}
	switch op {
	case "&&": // what is not known does not matter beside what is false
		if _, unknown := a.(data); unknown && b == integer(0) {
			return b
		}
	case "is":
		return same(a, b)
	case "==":
		return equals(a, b)
	case "!=":
		return unary("!", equals(a, b))
	case "in":
		return contains(a, b)
	}
	if v, ok := registerArith(op, a, b); ok {
		return v
	}
	a, b = whole(a), whole(b)
	if x, ok := a.(text); ok {
		return textArith(op, x, b)
	}
	if v, ok := compared(op, a, b); ok && isComparison(op) {
		return v
	}
	return arithmetic(op, a, b)
}

// arithmetic applies an operator to numbers, sequences and addresses.
func arithmetic(op string, a, b value) value {
	if x, ok := asFloat(a); ok {
		if y, ok := asFloat(b); ok {
			_, f := a.(float)
			_, g := b.(float)
			if f || g || op == trueDivision {
				return floatArith(op, x, y)
			}
			return arith(op, int64(x), int64(y))
		}
	}
	switch a := a.(type) {
	case flagValue:
		if n, ok := b.(integer); ok {
			if isComparison(op) {
				return flagTest{flag: a.flag, at: a.at, compare: op, number: int64(n), old: a.old, strength: a.strength}
			}
		}
		return data{}
	case tryResult:
		if n, ok := b.(integer); ok {
			return a.with(op, n)
		}
	case *sequence:
		if b, ok := b.(*sequence); ok && op == "+" && len(a.elems)+len(b.elems) <= maxElems {
			return &sequence{elems: append(append([]value{}, a.elems...), b.elems...), list: a.list}
		}
		if n, ok := b.(integer); ok && op == "*" {
			return repeated(a, n)
		}
	case *mapping:
		if b, ok := b.(*mapping); ok && words("| & - ^")[op] {
			return setOf(op, a, b)
		}
	}
	switch b := b.(type) {
	case tryResult:
		if n, ok := a.(integer); ok {
			return b.with(op, n)
		}
	case flagValue:
		if n, ok := a.(integer); ok && isComparison(op) {
			return flagTest{flag: b.flag, at: b.at, compare: flip(op), number: int64(n), old: b.old, strength: b.strength}
		}
		return data{}
	case *sequence:
		if n, ok := a.(integer); ok && op == "*" {
			return repeated(b, n)
		}
	}
	if p, ok := a.(pointer); ok && (op == "+" || op == "-") {
		return pointerArith(op, p, b)
	}
	if p, ok := b.(pointer); ok && op == "+" {
		return pointerArith(op, p, a)
	}
	if v, ok := zipLanes(op, a, b); ok {
		return v
	}
	x, okx := asSym(a)
	y, oky := asSym(b)
	if okx && oky {
		return simplify(op, x, y)
	}
	if v, ok := postponed(op, a, b); ok {
		return v
	}
	return data{}
}

func textArith(op string, a text, b value) value {
	switch b := b.(type) {
	case text:
		if op == "+" && len(a)+len(b) <= maxElems {
			return a + b
		}
		if isComparison(op) {
			v, _ := compared(op, a, b)
			return v
		}
	case integer:
		if op == "*" && b >= 0 && int(b)*len(a) <= maxElems {
			return text(strings.Repeat(string(a), int(b)))
		}
	}
	return data{} // "…" % args: only messages are made so
}

func repeated(a *sequence, n integer) value {
	if n > maxElems || int(max(0, n))*len(a.elems) > maxElems {
		return data{}
	}
	out := &sequence{list: a.list}
	for i := integer(0); i < n; i++ {
		out.elems = append(out.elems, a.elems...)
	}
	return out
}

func simplify(op string, x, y *symExpr) value {
	switch {
	case y.isN && y.num == 0 && (op == "+" || op == "-"), y.isN && y.num == 1 && (op == "*" || op == "/" || op == "//"):
		return symbol{x}
	case x.isN && x.num == 0 && op == "+", x.isN && x.num == 1 && op == "*":
		return symbol{y}
	case x.isN && x.num == 0 && op == "*" || y.isN && y.num == 0 && op == "*", y.isN && y.num == 1 && op == "%",
		x.isN && x.num == 0 && (op == "//" || op == "%" || op == remainder || op == "<<" || op == ">>"):
		return integer(0)
	case x.String() == y.String():
		switch op {
		case "==", "<=", ">=":
			return integer(1)
		case "!=", "<", ">":
			return integer(0)
		case "-":
			return integer(0)
		}
	}
	if y.isN && y.num > 0 {
		switch op {
		case "%":
			if r, ok := residue(x, y.num); ok {
				return integer(r)
			}
		case "&":
			if r, ok := residue(x, y.num+1); ok && y.num&(y.num+1) == 0 {
				return integer(r)
			}
		case "/", "//":
			if v, ok := quotient(x, y.num); ok {
				return v
			}
		}
	}
	if x.size+y.size >= maxOperators || len(x.String())+len(y.String()) > maxText {
		return data{}
	}
	return symbol{&symExpr{op: op, x: x, y: y, size: x.size + y.size + 1}}
}

func pointerArith(op string, p pointer, b value) value {
	if op == "+" || op == "-" {
		step := untyped(b)
		for _, d := range p.dims[min(1, len(p.dims)):] {
			step = binary("*", step, integer(d))
		}
		p.offset = binary(op, p.offset, p.counted(step))
		return p
	}
	return data{}
}

func zipLanes(op string, a, b value) (value, bool) {
	x, okx := a.(lanes)
	y, oky := b.(lanes)
	n := len(x) + len(y)
	if okx && oky {
		n = len(x)
	}
	if !okx && !oky || okx && oky && len(x) != len(y) {
		return nil, false
	}
	ax, aInt := a.(integer)
	by, bInt := b.(integer)
	if !okx && !aInt || !oky && !bInt {
		return nil, false
	}
	out := make(lanes, n)
	for i := range out {
		l, r := int64(ax), int64(by)
		if okx {
			l = x[i]
		}
		if oky {
			r = y[i]
		}
		v, ok := arith(op, l, r).(integer)
		if !ok {
			return data{}, true
		}
		out[i] = int64(v)
	}
	return out.shrink(), true
}

// shrink turns lanes that agree into one integer.
func (l lanes) shrink() value {
	for _, v := range l {
		if v != l[0] {
			return l
		}
	}
	if len(l) == 0 {
		return integer(0)
	}
	return integer(l[0])
}

// arith is an operator on two known numbers.
func arith(op string, x, y int64) value {
	switch op {
	case "+":
		return integer(x + y)
	case "-":
		return integer(x - y)
	case "*":
		return integer(x * y)
	case trueDivision:
		return floatArith(op, float64(x), float64(y))
	case "/", "//":
		if y == 0 {
			return data{}
		}
		q := x / y
		if x%y != 0 && (x < 0) != (y < 0) && op == "//" {
			q--
		}
		return integer(q)
	case "%":
		if y == 0 {
			return data{}
		}
		return integer(((x % y) + y) % y)
	case remainder:
		if y == 0 {
			return data{}
		}
		return integer(x % y)
	case "&":
		return integer(x & y)
	case "|":
		return integer(x | y)
	case "^":
		return integer(x ^ y)
	case "<<":
		if y < 0 || y > 62 {
			return data{}
		}
		return integer(x << uint(y))
	case ">>":
		if y < 0 || y > 63 {
			return data{}
		}
		return integer(x >> uint(y))
	case "**":
		if y < 0 || y > 62 {
			return data{}
		}
		r := int64(1)
		for ; y > 0; y-- {
			r *= x
		}
		return integer(r)
	case "==", "is":
		return boolean(x == y)
	case "!=", "is not":
		return boolean(x != y)
	case "<":
		return boolean(x < y)
	case "<=":
		return boolean(x <= y)
	case ">":
		return boolean(x > y)
	case ">=":
		return boolean(x >= y)
	case "&&":
		return boolean(x != 0 && y != 0)
	case "||":
		return boolean(x != 0 || y != 0)
	case "min":
		return integer(min(x, y))
	case "max":
		return integer(max(x, y))
	}
	if plain := wide[op]; plain != "" {
		if n, ok := ints.Uint64.Modular(plain, x, y); ok {
			return integer(n)
		}
	}
	return data{}
}

// unary applies "-", "+", "~" or "!", or brings a number to a type.
func unary(op string, v value) value {
	switch v := v.(type) {
	case word:
		return wordUnary(op, v)
	case register:
		if op == "!" {
			return data{}
		}
		return v
	case integer:
		switch op {
		case "-":
			return -v
		case "~":
			return ^v
		case "!":
			return boolean(v == 0)
		}
		if t, ok := conversions[op]; ok {
			return integer(t.Wrap(int64(v)))
		}
		return v
	case lanes:
		out := make(lanes, len(v))
		for i, x := range v {
			out[i] = int64(unary(op, integer(x)).(integer))
		}
		return out.shrink()
	case tryResult:
		if op == "!" || op == "~" { // a Boolean of the DSL is one bit
			v.negated = !v.negated
			return v
		}
	case flagTest:
		if op == "!" {
			v.compare = negate(v.compare)
			return v
		}
	case symbol:
		if op == "+" {
			return v
		}
		return symbol{&symExpr{op: op, x: v.expr, size: v.expr.size + 1}}
	case mixed:
		if v.size < maxMixed {
			return mixed{op, v, nil, v.size + 1}
		}
	case none:
		if op == "!" {
			return integer(1)
		}
	case *sequence:
		if op == "!" {
			return boolean(len(v.elems) == 0)
		}
	case text:
		if op == "!" {
			return boolean(v == "")
		}
	case float:
		switch op {
		case "-":
			return -v
		case "!":
			return boolean(v == 0)
		case "+":
			return v
		}
	case *enumMember:
		if n, ok := whole(v).(integer); ok {
			return unary(op, n)
		}
		if op == "!" {
			return integer(0)
		}
	case *mapping:
		if op == "!" {
			return boolean(len(v.order) == 0)
		}
	case *object, *closure, pointer, *class, *partial, boundMethod:
		if op == "!" {
			return integer(0)
		}
	}
	return data{}
}
