package lower

import (
	"strconv"
	"sync/atomic"

	"github.com/fencepost-dev/fencepost/program"
)

// What a run-time unknown is worth. A symbol is resolved down to its leaves: the unknowns that no other expression
// explains. Two roles that write one trip count in different ways (n_max - n_min here, 1 + masked + unmasked there) then
// agree because both are evaluated over the same leaves (notes/cutedsl.md 3.2, R8).

// need is an unknown that has no value yet. A host run ends with it; a kernel run asks the sweep for a value.
type need struct {
	key     string
	boolean bool
	zero    *symExpr // of a remainder without a value: the divisor
}

// maxScale bounds how coarsely the values of a size are spaced.
const maxScale = 1 << 20

// resolve gives a symbol the value it has in this instance, choosing values for the unknowns in it that have none.
func (m *machine) resolve(e *symExpr, yesNo bool) int64 {
	for {
		if _, known := m.in.values[e.String()]; !known && !e.isN && m.launch != nil {
			m.launch.asks(e)
			return m.assumeValue(e, yesNo)
		}
		v, missing := m.worth(e, yesNo)
		if missing == nil {
			return v
		}
		if missing.zero != nil && !m.sampling { // undefined (PTX ISA 9.7.1.6): nobody launches that
			m.positive(missing.zero)
		}
		m.undecidable(missing.key)
		if m.in.choose == nil {
			panic(*missing)
		}
		m.in.give(missing.key, m.in.choose(*missing))
	}
}

// peek gives the value of a symbol whose unknowns all have one.
func (m *machine) peek(e *symExpr) (int64, bool) {
	v, missing := m.worth(e, false)
	return v, missing == nil
}

// epochs number the states of what unknowns are worth, of all instances.
var epochs atomic.Int64

// give sets what an unknown is worth.
func (in *instance) give(key string, v int64) {
	in.values[key], in.epoch = v, epochs.Add(1)
}

// take undoes give.
func (in *instance) take(key string) {
	delete(in.values, key)
	in.epoch = epochs.Add(1)
}

// known is what an expression was found to be worth last. Expressions share their parts, so that a sum made of itself and again
// of itself has as many paths to its leaves as there are numbers of so many bits.
type known struct {
	worth int64
	epoch int64 // in which it is worth that; 0: it was not asked
	by    asking
}

// asking is what the worth of an expression depends on besides the values of its leaves, and what is noted on the way.
type asking struct{ host, watched bool }

// worth evaluates an expression over the values of its leaves, or names the first leaf that has none.
func (m *machine) worth(e *symExpr, yesNo bool) (int64, *need) {
	if e.isN {
		return e.num, nil
	}
	if m.watch != nil && !m.watch.quiet {
		return m.watch.answer(e, yesNo)
	}
	epoch, by := m.in.epoch, asking{m.host, m.watch != nil}
	if epoch > 0 && e.known.epoch == epoch && e.known.by == by {
		return e.known.worth, nil
	}
	v, missing := m.work(e, yesNo)
	if missing == nil {
		e.known = known{v, epoch, by}
	}
	return v, missing
}

// work is worth, where that is not known yet.
func (m *machine) work(e *symExpr, yesNo bool) (int64, *need) {
	if v, ok := m.in.values[e.String()]; ok {
		return v, nil
	}
	if of, ok := m.in.same[e.atom]; ok && e.op == "" {
		return m.worth(&symExpr{atom: of}, yesNo)
	}
	if e.op == "" {
		if meant := m.in.low.meanings[e.atom]; meant != nil {
			v, missing := m.worth(meant, yesNo)
			if missing == nil && m.watch == nil { // what is watched keeps its meaning
				m.in.values[e.atom] = v
			}
			return v, missing
		}
	}
	leaf := &need{key: e.String(), boolean: yesNo}
	if e.y == nil && conversions[e.op].Known() {
		x, missing := m.worth(e.x, false)
		return conversions[e.op].Wrap(x), missing
	}
	if e.op == remainder || wide[e.op] != "" {
		return m.apply(e, leaf)
	}
	switch e.op {
	case "+", "-", "*", "%", "&", "|", "^", "<<", "min", "max", "~", "==", "!=", "<", "<=", ">", ">=":
		if e.y == nil {
			x, missing := m.worth(e.x, false)
			if missing != nil {
				return 0, missing
			}
			return int64(unary(e.op, integer(x)).(integer)), nil
		}
		if isComparison(e.op) {
			if w, ok := m.strided(e); ok {
				steps, missing := m.worth(w.steps, false)
				return int64(boolean((w.step < steps) != w.negated)), missing
			}
		}
		return m.apply(e, leaf)
	case "//", "/":
		switch {
		case e.y.isN && e.y.num < 1:
			return 0, leaf
		case e.y.isN:
			m.space(e.x, e.y.num)
		default:
			if steps := m.roundedUp(e); steps != nil {
				return m.worth(steps, false)
			}
			m.positive(e.y)
			if whole, ok := m.fixed(e.x); ok {
				m.parts(whole, e.y)
			}
		}
		return m.apply(e, leaf)
	case ">>":
		if e.y.isN && e.y.num >= 0 && e.y.num <= 20 {
			m.space(e.x, 1<<e.y.num)
		}
		return m.apply(e, leaf)
	case "&&", "||":
		x, missing := m.worth(e.x, true)
		if missing != nil {
			return 0, missing
		}
		if (x != 0) == (e.op == "||") {
			return int64(boolean(x != 0)), nil
		}
		y, missing := m.worth(e.y, true)
		return int64(boolean(y != 0)), missing
	case "!":
		x, missing := m.worth(e.x, true)
		return int64(boolean(x == 0)), missing
	case "?":
		c, missing := m.worth(e.c, true)
		if missing != nil {
			return 0, missing
		}
		if c != 0 {
			return m.worth(e.x, yesNo)
		}
		return m.worth(e.y, yesNo)
	}
	return 0, leaf
}

// apply evaluates a binary operator; where the result is not defined the expression is an unknown of its own.
func (m *machine) apply(e *symExpr, leaf *need) (int64, *need) {
	x, missing := m.worth(e.x, false)
	if missing != nil {
		return 0, missing
	}
	y, missing := m.worth(e.y, false)
	if missing != nil {
		return 0, missing
	}
	if r, ok := arith(e.op, x, y).(integer); ok {
		return int64(r), nil
	}
	if y == 0 && (e.op == "%" || e.op == remainder) {
		leaf.zero = e.y
	}
	return 0, leaf
}

// space notes that an expression is divided by n, so that its leaves are given values n apart: a size of 0 to 3 elements
// would make every tile count 0 or 1. A leaf that already has values too close together makes the sweep start again.
func (m *machine) space(e *symExpr, n int64) {
	if m.host || m.watch != nil {
		return
	}
	for _, l := range symLeaves(e, nil) {
		num, den := coefficient(e, l)
		if num == 0 {
			continue
		}
		key := l.String()
		if of, ok := m.in.same[key]; ok {
			key = of
		}
		if m.in.low.bits[key] {
			continue
		}
		want := den * n / gcd(num, den*n)
		have := max(1, m.in.low.scales[key])
		if have%want == 0 {
			continue
		}
		if want = have / gcd(have, want) * want; want > maxScale {
			continue
		}
		m.in.low.scales[key] = want
		if _, ok := m.in.values[key]; ok {
			panic(restart{})
		}
	}
}

// bitwise notes that one place divides an unknown by another number than before, as in mask >> i: it is not made of parts of either.
func (m *machine) bitwise(x, y value, n program.Node) {
	by, ok := untyped(y).(integer)
	of, is := untyped(x).(symbol)
	if !ok || !is || m.host || m.watch != nil {
		return
	}
	l := m.in.low
	last, seen := l.divided[n]
	if l.divided[n] = int64(by); !seen || last == int64(by) {
		return
	}
	for _, leaf := range symLeaves(of.expr, nil) {
		key := leaf.String()
		if same, ok := m.in.same[key]; ok {
			key = same
		}
		if l.bits[key] {
			continue
		}
		l.bits[key] = true
		scaled := l.scales[key] > 1
		delete(l.scales, key)
		if _, ok := m.in.values[key]; ok && scaled {
			panic(restart{})
		}
	}
}

// positive notes that something is divided by an expression: the unknowns that would make it zero are not zero, nor
// smaller than what they are divided by on the way.
func (m *machine) positive(e *symExpr) {
	switch {
	case e.isN, m.watch != nil:
		return
	case (e.op == "*" || e.op == "min") && e.y != nil:
		m.positive(e.x)
		m.positive(e.y)
		return
	case (e.op == "//" || e.op == "/") && e.y.isN && e.y.num > 0:
		m.space(e.x, e.y.num)
		m.positive(e.x)
		return
	}
	if _, converted := conversions[e.op]; converted && e.y == nil {
		m.positive(e.x)
		return
	}
	key := e.String()
	if e.op != "" || m.in.low.divisors[key] {
		return
	}
	m.in.low.divisors[key] = true
	if v, ok := m.in.values[key]; ok && v == 0 {
		panic(restart{})
	}
}

// parts notes that a number is divided into parts of an unknown size: tiles into pages, say. What is known in advance is
// divided without a remainder.
func (m *machine) parts(whole int64, size *symExpr) {
	key := size.String()
	if m.watch != nil {
		return
	}
	if _, given := m.in.taken[key]; given || size.op != "" || whole < 2 {
		return
	}
	old := m.in.low.wholes[key]
	whole = gcd(old, whole)
	if m.in.assumed[key+" divides "+strconv.FormatInt(whole, 10)] = true; whole == old {
		return
	}
	m.in.low.wholes[key] = whole
	if v, ok := m.in.values[key]; ok && (v < 1 || whole%v != 0) {
		panic(restart{})
	}
}

// fixed is the value of an expression over numbers and what the host side has assumed.
func (m *machine) fixed(e *symExpr) (int64, bool) {
	for _, l := range symLeaves(e, nil) {
		if _, ok := m.in.taken[l.String()]; !ok {
			return 0, false
		}
	}
	return m.peek(e)
}

// symLeaves lists the leaves of an expression.
func symLeaves(e *symExpr, out []*symExpr) []*symExpr {
	switch {
	case e.isN:
		return out
	case e.op == "", e.op == "**":
		return append(out, e)
	}
	out = symLeaves(e.x, out)
	if e.y != nil {
		out = symLeaves(e.y, out)
	}
	return out
}

// coefficient is the factor num/den with which a leaf enters an expression, where it enters at all.
func coefficient(e, leaf *symExpr) (num, den int64) {
	if e == leaf || e.String() == leaf.String() {
		return 1, 1
	}
	if e.isN || e.op == "" {
		return 0, 1
	}
	num, den = coefficient(e.x, leaf)
	if num == 0 && e.y != nil {
		if num, den = coefficient(e.y, leaf); e.op == "*" && e.x.isN {
			num *= max(1, e.x.num)
		}
		return num, den
	}
	if e.y != nil && e.y.isN && e.y.num > 0 && num < maxScale && den < maxScale {
		switch e.op {
		case "*":
			num *= min(e.y.num, maxScale)
		case "//", "/":
			den *= min(e.y.num, maxScale)
		case ">>":
			den <<= min(e.y.num, 20)
		}
	}
	return num, den
}

// gcd is the greatest common divisor.
func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(1, a)
}
