package lower

import (
	"strconv"
	"sync/atomic"

	"github.com/fencepost-dev/fencepost/lower/combination"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// What a run-time unknown is worth. A symbol is resolved down to its leaves: the unknowns that no other expression
// explains. Two roles that write one trip count in different ways (n_max - n_min here, 1 + masked + unmasked there) then
// agree because both are evaluated over the same leaves (notes/cutedsl.md 3.2, R8).

// resolve gives a symbol the value it has in this instance, choosing values for the unknowns in it that have none.
func (m *machine) resolve(e *value.Expr, yesNo bool) int64 {
	for {
		if _, known := m.in.values[e.String()]; !known && !e.IsConst && m.launch != nil {
			m.launch.asks(e)
			return m.assumeValue(e, yesNo)
		}
		v, missing := m.worth(e, yesNo)
		if missing == nil {
			if len(m.answered) < maxAnswers {
				m.answered = append(m.answered, answered{e, yesNo, v})
			}
			return v
		}
		if missing.Zero != nil && !m.sampling { // undefined (PTX ISA 9.7.1.6): nobody launches that
			m.positive(missing.Zero)
		}
		m.undecidable(missing.Key)
		if m.in.choose == nil {
			panic(*missing)
		}
		m.in.give(missing.Key, m.in.choose(*missing))
	}
}

// peek gives the value of a symbol whose unknowns all have one.
func (m *machine) peek(e *value.Expr) (int64, bool) {
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

// worth evaluates an expression over the values of its leaves, or names the first leaf that has none.
func (m *machine) worth(e *value.Expr, yesNo bool) (int64, *combination.Need) {
	if e.IsConst {
		return e.Num, nil
	}
	if m.watch != nil && !m.watch.quiet {
		return m.watch.answer(e, yesNo)
	}
	epoch, by := m.in.epoch, value.Asking{Host: m.host, Watched: m.watch != nil}
	if epoch > 0 && e.Known.Epoch == epoch && e.Known.By == by {
		return e.Known.Worth, nil
	}
	v, missing := m.work(e, yesNo)
	if missing == nil {
		e.Known = value.Known{Worth: v, Epoch: epoch, By: by}
	}
	return v, missing
}

// work is worth, where that is not known yet.
func (m *machine) work(e *value.Expr, yesNo bool) (int64, *combination.Need) {
	if v, ok := m.in.values[e.String()]; ok {
		return v, nil
	}
	if of, ok := m.in.same[e.Atom]; ok && e.Op == "" {
		return m.worth(&value.Expr{Atom: of}, yesNo)
	}
	if e.Op == "" {
		if meant := m.in.low.meanings[e.Atom]; meant != nil {
			v, missing := m.worth(meant, yesNo)
			if missing == nil && m.watch == nil { // what is watched keeps its meaning
				m.in.values[e.Atom] = v
			}
			return v, missing
		}
	}
	leaf := &combination.Need{Key: e.String(), Boolean: yesNo}
	if e.Y == nil && value.Conversions[e.Op].Known() {
		x, missing := m.worth(e.X, false)
		return value.Conversions[e.Op].Wrap(x), missing
	}
	if e.Op == value.Remainder || value.Wide[e.Op] != "" {
		return m.apply(e, leaf)
	}
	switch e.Op {
	case "+", "-", "*", "%", "&", "|", "^", "<<", "min", "max", "~", "==", "!=", "<", "<=", ">", ">=":
		if e.Y == nil {
			x, missing := m.worth(e.X, false)
			if missing != nil {
				return 0, missing
			}
			return int64(value.Unary(e.Op, value.Int(x)).(value.Int)), nil
		}
		if value.IsComparison(e.Op) {
			if w, ok := m.strided(e); ok {
				steps, missing := m.worth(w.steps, false)
				return int64(value.Bool((w.step < steps) != w.negated)), missing
			}
		}
		return m.apply(e, leaf)
	case "//", "/":
		switch {
		case e.Y.IsConst && e.Y.Num < 1:
			return 0, leaf
		case e.Y.IsConst:
			m.space(e.X, e.Y.Num)
		default:
			if steps := m.roundedUp(e); steps != nil {
				return m.worth(steps, false)
			}
			m.positive(e.Y)
			if whole, ok := m.fixed(e.X); ok {
				m.parts(whole, e.Y)
			}
		}
		return m.apply(e, leaf)
	case ">>":
		if e.Y.IsConst && e.Y.Num >= 0 && e.Y.Num <= 20 {
			m.space(e.X, 1<<e.Y.Num)
		}
		return m.apply(e, leaf)
	case "&&", "||":
		x, missing := m.worth(e.X, true)
		if missing != nil {
			return 0, missing
		}
		if (x != 0) == (e.Op == "||") {
			return int64(value.Bool(x != 0)), nil
		}
		y, missing := m.worth(e.Y, true)
		return int64(value.Bool(y != 0)), missing
	case "!":
		x, missing := m.worth(e.X, true)
		return int64(value.Bool(x == 0)), missing
	case "?":
		c, missing := m.worth(e.C, true)
		if missing != nil {
			return 0, missing
		}
		if c != 0 {
			return m.worth(e.X, yesNo)
		}
		return m.worth(e.Y, yesNo)
	}
	return 0, leaf
}

// apply evaluates a binary operator; where the result is not defined the expression is an unknown of its own.
func (m *machine) apply(e *value.Expr, leaf *combination.Need) (int64, *combination.Need) {
	x, missing := m.worth(e.X, false)
	if missing != nil {
		return 0, missing
	}
	y, missing := m.worth(e.Y, false)
	if missing != nil {
		return 0, missing
	}
	if r, ok := value.Arith(e.Op, x, y).(value.Int); ok {
		return int64(r), nil
	}
	if y == 0 && (e.Op == "%" || e.Op == value.Remainder) {
		leaf.Zero = e.Y
	}
	return 0, leaf
}

// space notes that an expression is divided by n, so that its leaves are given values n apart: a size of 0 to 3 elements
// would make every tile count 0 or 1. A leaf that already has values too close together makes the sweep start again.
func (m *machine) space(e *value.Expr, n int64) {
	if m.host || m.watch != nil {
		return
	}
	for _, l := range value.Leaves(e, nil) {
		num, den := value.Coefficient(e, l)
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
		want := den * n / value.Gcd(num, den*n)
		have := max(1, m.in.low.scales[key])
		if have%want == 0 {
			continue
		}
		if want = have / value.Gcd(have, want) * want; want > value.MaxScale {
			continue
		}
		m.in.low.scales[key] = want
		if _, ok := m.in.values[key]; ok {
			panic(restart{})
		}
	}
}

// bitwise notes that one place divides an unknown by another number than before, as in mask >> i: it is not made of parts of either.
func (m *machine) bitwise(x, y value.Value, n program.Node) {
	by, ok := value.Untyped(y).(value.Int)
	of, is := value.Untyped(x).(value.Symbol)
	if !ok || !is || m.host || m.watch != nil {
		return
	}
	l := m.in.low
	last, seen := l.divided[n]
	if l.divided[n] = int64(by); !seen || last == int64(by) {
		return
	}
	for _, leaf := range value.Leaves(of.Expr, nil) {
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
func (m *machine) positive(e *value.Expr) {
	switch {
	case e.IsConst, m.watch != nil:
		return
	case (e.Op == "*" || e.Op == "min") && e.Y != nil:
		m.positive(e.X)
		m.positive(e.Y)
		return
	case (e.Op == "//" || e.Op == "/") && e.Y.IsConst && e.Y.Num > 0:
		m.space(e.X, e.Y.Num)
		m.positive(e.X)
		return
	}
	if _, converted := value.Conversions[e.Op]; converted && e.Y == nil {
		m.positive(e.X)
		return
	}
	key := e.String()
	if e.Op != "" || m.in.low.divisors[key] {
		return
	}
	m.in.low.divisors[key] = true
	if v, ok := m.in.values[key]; ok && v == 0 {
		panic(restart{})
	}
}

// parts notes that a number is divided into parts of an unknown size: tiles into pages, say. What is known in advance is
// divided without a remainder.
func (m *machine) parts(whole int64, size *value.Expr) {
	key := size.String()
	if m.watch != nil {
		return
	}
	if _, given := m.in.taken[key]; given || size.Op != "" || whole < 2 {
		return
	}
	old := m.in.low.wholes[key]
	whole = value.Gcd(old, whole)
	if m.in.assumed[key+" divides "+strconv.FormatInt(whole, 10)] = inWords; whole == old {
		return
	}
	m.in.low.wholes[key] = whole
	if v, ok := m.in.values[key]; ok && (v < 1 || whole%v != 0) {
		panic(restart{})
	}
}

// fixed is the value of an expression over numbers and what the host side has assumed.
func (m *machine) fixed(e *value.Expr) (int64, bool) {
	for _, l := range value.Leaves(e, nil) {
		if _, ok := m.in.taken[l.String()]; !ok {
			return 0, false
		}
	}
	return m.peek(e)
}
