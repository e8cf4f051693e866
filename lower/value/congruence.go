package value

import (
	"fmt"
	"slices"
)

// Congruence is what is known of an integer that goes on by a stride in a loop of which the number of rounds is not known:
// it is Plus + Rest + k·Modulus for some k, which may be another one for each thread (arithmetical congruences, Granger 1989).
type Congruence struct {
	Rest    Lanes // from 0 to Modulus-1: one for all threads, or one for each
	Plus    *Expr // the same for all threads; nil for 0
	Modulus int64 // 1 of an integer of which nothing is known
}

// maxCongruent bounds the numbers of which remainders are told: far from those that come round.
const maxCongruent = 1 << 30

// Integer is an integer of which nothing else is known.
func Integer() Value { return Data{&Congruence{Rest: Lanes{0}, Modulus: 1}} }

// Unrelated is a value of which nothing is known any more where it was not known whole.
func Unrelated(v Value) Value {
	if IsData(v) {
		return Data{}
	}
	return v
}

// CongruenceOf takes a number apart; of one that is known the modulus is 0.
func CongruenceOf(v Value) (c Congruence, ok bool) {
	switch v := Numeral(v).(type) {
	case Data:
		if v.Of != nil {
			return *v.Of, true
		}
	case Int:
		return Congruence{Rest: Lanes{int64(v)}}, -maxCongruent < v && v < maxCongruent
	case Lanes:
		return Congruence{Rest: v}, len(v) > 0 && slices.Min(v) > -maxCongruent && slices.Max(v) < maxCongruent
	case Symbol:
		plus, rest := apart(v.Expr, 0)
		return Congruence{Rest: Lanes{rest}, Plus: plus}, rest > -maxCongruent && rest < maxCongruent
	case Word:
		if v.T.Bits >= 32 {
			return CongruenceOf(v.V)
		}
	case Mixed:
		if v.Y != nil {
			return congruentOperation(v.Op, v.X, v.Y)
		}
	}
	return Congruence{}, false
}

// apart is an expression without the numbers that are added to it, and these.
func apart(e *Expr, added int64) (*Expr, int64) {
	switch {
	case e.Y == nil || added <= -maxCongruent || added >= maxCongruent:
	case e.Op == "+" && e.Y.IsConst:
		return apart(e.X, added+e.Y.Num)
	case e.Op == "+" && e.X.IsConst:
		return apart(e.Y, added+e.X.Num)
	case e.Op == "-" && e.Y.IsConst:
		return apart(e.X, added-e.Y.Num)
	}
	return e, added
}

// congruentArith applies an operator to numbers of one of which no more is known than a remainder.
func congruentArith(op string, a, b Value) Value {
	x, _ := a.(Data)
	y, _ := b.(Data)
	if x.Of == nil && y.Of == nil {
		return Data{}
	}
	if c, ok := congruentOperation(op, a, b); ok {
		return c.value()
	}
	return Data{}
}

func congruentOperation(op string, a, b Value) (Congruence, bool) {
	x, ok1 := CongruenceOf(a)
	y, ok2 := CongruenceOf(b)
	if !ok1 || !ok2 {
		return Congruence{}, false
	}
	switch op {
	case "+":
		return x.plus(y)
	case "-":
		if y, ok := y.times(-1); ok {
			return x.plus(y)
		}
	case "*":
		if n, is := b.(Int); is {
			return x.times(int64(n))
		}
		if n, is := a.(Int); is {
			return y.times(int64(n))
		}
	case "<<":
		if n, is := b.(Int); is && n >= 0 && n < 20 {
			return x.times(1 << n)
		}
	}
	return Congruence{}, false
}

func (c Congruence) plus(d Congruence) (Congruence, bool) {
	rest, ok := zipped("+", c.Rest, d.Rest)
	out := Congruence{Rest: rest, Plus: c.Plus, Modulus: common(c.Modulus, d.Modulus)}
	switch {
	case c.Plus == nil:
		out.Plus = d.Plus
	case d.Plus != nil:
		sum, known := Binary("+", Symbol{c.Plus}, Symbol{d.Plus}).(Symbol)
		out.Plus, ok = sum.Expr, ok && known
	}
	return out, ok
}

func (c Congruence) times(n int64) (Congruence, bool) {
	rest, ok := zipped("*", c.Rest, Lanes{n})
	out := Congruence{Rest: rest, Modulus: c.Modulus * max(n, -n)}
	if c.Plus != nil {
		product, known := Binary("*", Symbol{c.Plus}, Int(n)).(Symbol)
		out.Plus, ok = product.Expr, ok && known
	}
	return out, ok && max(n, -n) < maxCongruent
}

// zipped applies an operator to numbers of which one is for all threads or one for each.
func zipped(op string, a, b Lanes) (Lanes, bool) {
	switch v := Binary(op, a.Shrink(), b.Shrink()).(type) {
	case Int:
		return Lanes{int64(v)}, true
	case Lanes:
		return v, true
	}
	return nil, false
}

// common is the greatest common divisor, that of 0 and n being n.
func common(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// value is what is known of a number by a congruence.
func (c Congruence) value() Value {
	if c.Modulus == 0 || c.Modulus >= maxCongruent || c.Plus != nil && HasLeaf(c.Plus) { // a leaf changes from round to round
		return Data{}
	}
	rest := make(Lanes, len(c.Rest))
	for i, n := range c.Rest {
		rest[i] = (n%c.Modulus + c.Modulus) % c.Modulus
	}
	c.Rest, _ = PerLane(rest.Shrink())
	return Data{&c}
}

// Either is what is known of a number that is a or b.
func Either(a, b Value) Value {
	x, ok1 := CongruenceOf(a)
	y, ok2 := CongruenceOf(b)
	if !ok1 || !ok2 || !sameSum(x.Plus, y.Plus) {
		return Data{}
	}
	between, ok := zipped("-", x.Rest, y.Rest)
	if !ok {
		return Data{}
	}
	x.Modulus = common(x.Modulus, y.Modulus)
	for _, n := range between {
		x.Modulus = common(x.Modulus, n)
	}
	return x.value()
}

// Element is some element of what a loop goes over.
func Element(over Value) Value {
	r, ok := over.(RangeValue)
	if !ok {
		return Data{}
	}
	n, ok1 := Whole(r.Step).(Int)
	c, ok2 := CongruenceOf(r.Lo)
	if !ok1 || !ok2 {
		return Integer()
	}
	c.Modulus = common(c.Modulus, int64(n))
	if v := c.value(); v != (Data{}) {
		return v
	}
	return Integer()
}

func sameSum(a, b *Expr) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a == b || a.String() == b.String()
}

// Spelled tells congruences apart.
func (c *Congruence) Spelled() string {
	if c == nil {
		return ""
	}
	plus := ""
	if c.Plus != nil {
		plus = c.Plus.String()
	}
	return fmt.Sprint(plus, c.Rest, c.Modulus)
}

// narrowed is a number of which a congruence tells, as one of a type: of one that may come round or be rounded nothing is known.
func (d Data) narrowed(bits int64, integer bool) Value {
	if bits < 32 || !integer {
		return Data{}
	}
	return d
}
