package value

import (
	"strings"

	ints "github.com/fencepost-dev/fencepost/integer"
)

// Binary applies an operator: to words by the rules of their language, to other numbers as Python does, without bounds. "/"
// rounds towards zero, "//" down; the result of remainder has the sign of the dividend, that of "%" the divisor's.
func Binary(op string, a, b Value) Value {
	if x, ok := a.(Int); ok {
		if y, ok := b.(Int); ok {
			return Arith(op, int64(x), int64(y))
		}
	}
	if v, ok := wordArith(op, a, b); ok {
		return v
	}
	switch op {
	case "&&": // what is not known does not matter beside what is false
		if _, unknown := a.(Data); unknown && b == Int(0) {
			return b
		}
	case "is":
		return same(a, b)
	case "==":
		return Equals(a, b)
	case "!=":
		return Unary("!", Equals(a, b))
	case "in":
		return Contains(a, b)
	}
	if v, ok := registerArith(op, a, b); ok {
		return v
	}
	a, b = Unregistered(Whole(a)), Unregistered(Whole(b))
	if x, ok := a.(Text); ok {
		return textArith(op, x, b)
	}
	if v, ok := Compared(op, a, b); ok && IsComparison(op) {
		return v
	}
	return arithmetic(op, a, b)
}

// arithmetic applies an operator to numbers, sequences and addresses.
func arithmetic(op string, a, b Value) Value {
	if x, ok := AsFloat(a); ok {
		if y, ok := AsFloat(b); ok {
			_, f := a.(Float)
			_, g := b.(Float)
			if f || g || op == TrueDivision {
				return floatArith(op, x, y)
			}
			return Arith(op, int64(x), int64(y))
		}
	}
	switch a := a.(type) {
	case FlagValue:
		if n, ok := b.(Int); ok {
			if IsComparison(op) {
				return FlagTest{Flag: a.Flag, At: a.At, Compare: op, Number: int64(n), Old: a.Old, Strength: a.Strength}
			}
		}
		return Data{}
	case TryResult:
		if n, ok := b.(Int); ok {
			return a.with(op, n)
		}
	case *Sequence:
		if b, ok := b.(*Sequence); ok && op == "+" && len(a.Elems)+len(b.Elems) <= MaxElems {
			return &Sequence{Elems: append(append([]Value{}, a.Elems...), b.Elems...), List: a.List}
		}
		if n, ok := b.(Int); ok && op == "*" {
			return repeated(a, n)
		}
	case *Mapping:
		if b, ok := b.(*Mapping); ok && Words("| & - ^")[op] {
			return SetOf(op, a, b)
		}
	}
	switch b := b.(type) {
	case TryResult:
		if n, ok := a.(Int); ok {
			return b.with(op, n)
		}
	case FlagValue:
		if n, ok := a.(Int); ok && IsComparison(op) {
			return FlagTest{Flag: b.Flag, At: b.At, Compare: flip(op), Number: int64(n), Old: b.Old, Strength: b.Strength}
		}
		return Data{}
	case *Sequence:
		if n, ok := a.(Int); ok && op == "*" {
			return repeated(b, n)
		}
	}
	if p, ok := a.(Pointer); ok && (op == "+" || op == "-") {
		return pointerArith(op, p, b)
	}
	if p, ok := b.(Pointer); ok && op == "+" {
		return pointerArith(op, p, a)
	}
	if v, ok := zipLanes(op, a, b); ok {
		return v
	}
	x, okx := AsExpr(a)
	y, oky := AsExpr(b)
	if okx && oky {
		return simplify(op, x, y)
	}
	if v, ok := postponed(op, a, b); ok {
		return v
	}
	return congruentArith(op, a, b)
}

func textArith(op string, a Text, b Value) Value {
	switch b := b.(type) {
	case Text:
		if op == "+" && len(a)+len(b) <= MaxElems {
			return a + b
		}
		if IsComparison(op) {
			v, _ := Compared(op, a, b)
			return v
		}
	case Int:
		if op == "*" && b >= 0 && int(b)*len(a) <= MaxElems {
			return Text(strings.Repeat(string(a), int(b)))
		}
	}
	return Data{} // "…" % args: only messages are made so
}

func repeated(a *Sequence, n Int) Value {
	if n > MaxElems || int(max(0, n))*len(a.Elems) > MaxElems {
		return Data{}
	}
	out := &Sequence{List: a.List}
	for i := Int(0); i < n; i++ {
		out.Elems = append(out.Elems, a.Elems...)
	}
	return out
}

func simplify(op string, x, y *Expr) Value {
	switch {
	case y.IsConst && y.Num == 0 && (op == "+" || op == "-"), y.IsConst && y.Num == 1 && (op == "*" || op == "/" || op == "//"):
		return Symbol{x}
	case x.IsConst && x.Num == 0 && op == "+", x.IsConst && x.Num == 1 && op == "*":
		return Symbol{y}
	case x.IsConst && x.Num == 0 && op == "*" || y.IsConst && y.Num == 0 && op == "*", y.IsConst && y.Num == 1 && op == "%",
		x.IsConst && x.Num == 0 && (op == "//" || op == "%" || op == Remainder || op == "<<" || op == ">>"):
		return Int(0)
	case x.String() == y.String():
		switch op {
		case "==", "<=", ">=":
			return Int(1)
		case "!=", "<", ">":
			return Int(0)
		case "-":
			return Int(0)
		}
	}
	if y.IsConst && y.Num > 0 {
		switch op {
		case "%":
			if r, ok := residue(x, y.Num); ok {
				return Int(r)
			}
		case "&":
			if r, ok := residue(x, y.Num+1); ok && y.Num&(y.Num+1) == 0 {
				return Int(r)
			}
		case "/", "//":
			if v, ok := quotient(x, y.Num); ok {
				return v
			}
		}
	}
	if x.Size+y.Size >= MaxOperators || len(x.String())+len(y.String()) > MaxText {
		return Data{}
	}
	return Symbol{&Expr{Op: op, X: x, Y: y, Size: x.Size + y.Size + 1}}
}

func pointerArith(op string, p Pointer, b Value) Value {
	if op == "+" || op == "-" {
		step := Untyped(b)
		for _, d := range p.Dims[min(1, len(p.Dims)):] {
			step = Binary("*", step, Int(d))
		}
		p.Offset = Binary(op, p.Offset, p.Counted(step))
		return p
	}
	return Data{}
}

func zipLanes(op string, a, b Value) (Value, bool) {
	x, okx := a.(Lanes)
	y, oky := b.(Lanes)
	n := len(x) + len(y)
	if okx && oky {
		n = len(x)
	}
	if !okx && !oky || okx && oky && len(x) != len(y) {
		return nil, false
	}
	ax, aInt := a.(Int)
	by, bInt := b.(Int)
	if !okx && !aInt || !oky && !bInt {
		return nil, false
	}
	f := whole(op)
	if f == nil {
		return Data{}, true
	}
	out := make(Lanes, n)
	for i := range out {
		l, r := int64(ax), int64(by)
		if okx {
			l = x[i]
		}
		if oky {
			r = y[i]
		}
		v, ok := f(l, r)
		if !ok {
			return Data{}, true
		}
		out[i] = v
	}
	return out.Shrink(), true
}

// Shrink turns lanes that agree into one integer.
func (l Lanes) Shrink() Value {
	for _, v := range l {
		if v != l[0] {
			return l
		}
	}
	if len(l) == 0 {
		return Int(0)
	}
	return Int(l[0])
}

// Arith is an operator on two known numbers.
func Arith(op string, x, y int64) Value {
	f := whole(op)
	if f == nil {
		return floatArith(op, float64(x), float64(y))
	}
	if n, ok := f(x, y); ok {
		return Int(n)
	}
	return Data{}
}

// whole is an operator of integers that gives one, where it is defined; nil for true division.
func whole(op string) func(x, y int64) (n int64, ok bool) {
	switch op {
	case "+":
		return func(x, y int64) (int64, bool) { return x + y, true }
	case "-":
		return func(x, y int64) (int64, bool) { return x - y, true }
	case "*":
		return func(x, y int64) (int64, bool) { return x * y, true }
	case TrueDivision:
		return nil
	case "/", "//":
		down := op == "//"
		return func(x, y int64) (int64, bool) {
			if y == 0 {
				return 0, false
			}
			q := x / y
			if down && x%y != 0 && (x < 0) != (y < 0) {
				q--
			}
			return q, true
		}
	case "%":
		return func(x, y int64) (int64, bool) {
			if y == 0 {
				return 0, false
			}
			return ((x % y) + y) % y, true
		}
	case Remainder:
		return func(x, y int64) (int64, bool) {
			if y == 0 {
				return 0, false
			}
			return x % y, true
		}
	case "&":
		return func(x, y int64) (int64, bool) { return x & y, true }
	case "|":
		return func(x, y int64) (int64, bool) { return x | y, true }
	case "^":
		return func(x, y int64) (int64, bool) { return x ^ y, true }
	case "<<":
		return func(x, y int64) (int64, bool) {
			if y < 0 || y > 62 {
				return 0, false
			}
			return x << uint(y), true
		}
	case ">>":
		return func(x, y int64) (int64, bool) {
			if y < 0 || y > 63 {
				return 0, false
			}
			return x >> uint(y), true
		}
	case "**":
		return func(x, y int64) (int64, bool) {
			if y < 0 || y > 62 {
				return 0, false
			}
			r := int64(1)
			for ; y > 0; y-- {
				r *= x
			}
			return r, true
		}
	case "==", "is":
		return func(x, y int64) (int64, bool) { return int64(Bool(x == y)), true }
	case "!=", "is not":
		return func(x, y int64) (int64, bool) { return int64(Bool(x != y)), true }
	case "<":
		return func(x, y int64) (int64, bool) { return int64(Bool(x < y)), true }
	case "<=":
		return func(x, y int64) (int64, bool) { return int64(Bool(x <= y)), true }
	case ">":
		return func(x, y int64) (int64, bool) { return int64(Bool(x > y)), true }
	case ">=":
		return func(x, y int64) (int64, bool) { return int64(Bool(x >= y)), true }
	case "&&":
		return func(x, y int64) (int64, bool) { return int64(Bool(x != 0 && y != 0)), true }
	case "||":
		return func(x, y int64) (int64, bool) { return int64(Bool(x != 0 || y != 0)), true }
	case "min":
		return func(x, y int64) (int64, bool) { return min(x, y), true }
	case "max":
		return func(x, y int64) (int64, bool) { return max(x, y), true }
	}
	return func(x, y int64) (int64, bool) {
		plain := Wide[op]
		if plain == "" {
			return 0, false
		}
		return ints.Uint64.Modular(plain, x, y)
	}
}

// Unary applies "-", "+", "~" or "!", or brings a number to a type.
func Unary(op string, v Value) Value {
	switch v := v.(type) {
	case Word:
		return wordUnary(op, v)
	case Register:
		if op == "!" {
			return Data{}
		}
		return v
	case Int:
		switch op {
		case "-":
			return -v
		case "~":
			return ^v
		case "!":
			return Bool(v == 0)
		}
		if t, ok := Conversions[op]; ok {
			return Int(t.Wrap(int64(v)))
		}
		return v
	case Lanes:
		out := make(Lanes, len(v))
		for i, x := range v {
			out[i] = int64(Unary(op, Int(x)).(Int))
		}
		return out.Shrink()
	case TryResult:
		if op == "!" || op == "~" { // a Boolean of the DSL is one bit
			v.Negated = !v.Negated
			return v
		}
	case FlagTest:
		if op == "!" {
			v.Compare = Negate(v.Compare)
			return v
		}
	case Symbol:
		if op == "+" {
			return v
		}
		return Symbol{&Expr{Op: op, X: v.Expr, Size: v.Expr.Size + 1}}
	case Mixed:
		if v.size < maxMixed {
			return Mixed{op, v, nil, v.size + 1}
		}
	case None:
		if op == "!" {
			return Int(1)
		}
	case *Sequence:
		if op == "!" {
			return Bool(len(v.Elems) == 0)
		}
	case Text:
		if op == "!" {
			return Bool(v == "")
		}
	case Float:
		switch op {
		case "-":
			return -v
		case "!":
			return Bool(v == 0)
		case "+":
			return v
		}
	case *EnumMember:
		if n, ok := Whole(v).(Int); ok {
			return Unary(op, n)
		}
		if op == "!" {
			return Int(0)
		}
	case *Mapping:
		if op == "!" {
			return Bool(len(v.Order) == 0)
		}
	case *Object, *Closure, Pointer, *Class, *PartialCall, BoundMethod:
		if op == "!" {
			return Int(0)
		}
	}
	return Data{}
}

// IsComparison reports whether an operator compares.
func IsComparison(op string) bool {
	switch op {
	case "==", "!=", "<", "<=", ">", ">=":
		return true
	}
	return false
}

// flip mirrors a comparison: a op b is b flip(op) a.
func flip(op string) string {
	switch op {
	case "<":
		return ">"
	case "<=":
		return ">="
	case ">":
		return "<"
	case ">=":
		return "<="
	}
	return op
}

// Negate is the comparison that holds when op does not.
func Negate(op string) string {
	return map[string]string{"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}[op]
}

// TruthValue maps lanes to 0 and 1 so that && and || on them are exact.
func TruthValue(v Value) Value {
	v = Untyped(v)
	if l, ok := v.(Lanes); ok {
		out := make(Lanes, len(l))
		for i, x := range l {
			out[i] = int64(Bool(x != 0))
		}
		return out.Shrink()
	}
	return v
}

// What a CTA's place in its cluster says about its block index: with blockIdx.x = clusterid.x * 2 + 1, blockIdx.x % 2
// is 1 and blockIdx.x // 2 is clusterid.x, whatever the cluster.

// residue is e modulo n, where it is the same for all values of the unknowns in e. The unknowns must not be negative,
// as languages differ on those.
func residue(e *Expr, n int64) (r int64, ok bool) {
	switch {
	case n <= 0:
		return 0, false
	case e.IsConst:
		return e.Num % n, e.Num >= 0
	case e.Op == "+" || e.Op == "*":
		x, okx := residue(e.X, n)
		y, oky := residue(e.Y, n)
		switch {
		case e.Op == "*" && (okx && x == 0 && notNegative(e.Y) || oky && y == 0 && notNegative(e.X)):
			return 0, true
		case !okx || !oky:
			return 0, false
		case e.Op == "+":
			return (x + y) % n, true
		}
		return x * y % n, x < 1<<31 && y < 1<<31
	}
	return 0, false
}

// notNegative reports whether e is an unknown that the hardware counts from zero, or a sum or product of such.
func notNegative(e *Expr) bool {
	switch {
	case e.IsConst:
		return e.Num >= 0
	case e.Op == "+" || e.Op == "*":
		return notNegative(e.X) && notNegative(e.Y)
	case e.Op == "":
		for _, hardware := range []string{"cluster_idx.", "cluster_dim.", "block_idx.", "grid_dim."} {
			if strings.HasPrefix(e.Atom, hardware) {
				return true
			}
		}
	}
	return false
}

// quotient is x // n for x = a * b + c with b a multiple of n and 0 ≤ c < n.
func quotient(x *Expr, n int64) (Value, bool) {
	c := int64(0)
	if x.Op == "+" && x.Y.IsConst {
		x, c = x.X, x.Y.Num
	}
	if x.Op != "*" || !x.Y.IsConst || n <= 0 || c < 0 || c >= n || x.Y.Num%n != 0 || !notNegative(x.X) {
		return nil, false
	}
	return Binary("*", Symbol{x.X}, Int(x.Y.Num/n)), true
}

// with applies an operator to a token and a number.
func (t TryResult) with(op string, n Int) Value {
	switch op {
	case "==", "!=":
		if n != 0 && n != 1 {
			return Bool(op == "!=")
		}
		if (op == "==") == (n == 0) {
			t.Negated = !t.Negated
		}
		return t
	case "&&", "&":
		if n == 0 {
			return Int(0)
		}
		return t
	case "||", "|":
		if n != 0 {
			return Int(1)
		}
		return t
	}
	return Data{}
}

// WholeParts reports whether each part of a warp of some width is wholly among lanes, a bit each, or not at all.
func WholeParts(lanes, width int64) bool {
	part := int64(1)<<width - 1
	for at := int64(0); at < 32; at += width {
		if p := lanes >> at & part; p != 0 && p != part {
			return false
		}
	}
	return true
}
