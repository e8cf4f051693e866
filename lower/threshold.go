package lower

import (
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/combination"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// A kernel does something else from some size on: n > 3, n & 8. Where no combination of the few values that unknowns are
// given has the other answer of such a test, one with the value that it takes is tried: an arm that is empty, or that
// leaves before a barrier, has nothing in it that would show as missing. The same is so of an arm that is run with fewer rounds
// than loops are tried with, because these have the other answer (n != 3; n % 2 == 0, where a ring takes 9 rounds): then as many
// or a few more, with this answer, are tried.

// setting is an unknown and a value for it.
type setting struct {
	key string
	v   int64
}

// onesided reports whether a test of unknowns of the launch has come out one way only.
func (q *asked) onesided() bool { return q.test != nil && q.answers[0] != q.answers[1] }

// going is how often loops go round where a test has some answer.
type going struct {
	key  string           // the unknown that says so
	most int64            // what that was worth
	in   map[string]int64 // what all unknowns were
}

// wanted lists what unknowns should be worth, too.
func (w *sweep) wanted(q *asked) (out []setting) {
	if q.onesided() {
		if q.other != nil {
			out = append(out, *q.other)
			if far := (setting{q.other.key, q.other.v + w.far(q.other.key)}); q.ends != nil && w.l.rounds[far.key] {
				out = append(out, far)
			}
		}
		return out
	}
	for answer, g := range q.goes {
		if g.key == "" || q.varies || g.most >= w.far(g.key) {
			continue
		}
		if v, ok := w.farther(q.test, g, answer == 1); ok {
			out = append(out, setting{g.key, v})
		}
	}
	return out
}

// farther is with how many rounds at least that are as many as loops are tried with a test has an answer: of those that are multiples of a stride,
// or else of any (m % 2 == 1 beside a stride of 2).
func (w *sweep) farther(test *value.Expr, g going, answer bool) (int64, bool) {
	for _, step := range []int64{max(1, w.l.scales[g.key]), 1} {
		for n := range int64(farthestTested) {
			v := w.far(g.key) + n*step
			if r, known := w.last.supposing(test, valued(g.in, g.key, v)); known && (r != 0) == answer {
				return v, true
			}
		}
	}
	return 0, false
}

// far is the most that an unknown of rounds is given for what comes back in loops and the counters in them.
func (w *sweep) far(key string) int64 {
	scale := max(1, w.l.scales[key])
	return slices.Max(w.reaching(key, []int64{least * scale, w.deep() * scale}))
}

// tests notes a comparison of unknowns of the launch: n > 3. Its answer is known when the instance is.
func (m *machine) tests(e program.Node, op string, x, y value.Value) {
	v := value.Binary(op, value.Untyped(x), value.Untyped(y))
	if op == "&" { // a flag among bits
		v = value.Binary("!=", v, value.Int(0))
	} else if !value.IsComparison(op) {
		return
	}
	m.testing(e, v)
}

// testsTruth notes a number of the launch that is asked whether it is zero: if (n ^ 21).
func (m *machine) testsTruth(n program.Node, v value.Symbol) {
	e, ok := n.(*program.Binary)
	if !ok || m.host || m.watch != nil || value.IsComparison(e.Op) {
		return
	}
	switch e.Op {
	case "^", "+", "-", "*", ">>", "<<", "|":
		m.testing(e, value.Binary("!=", v, value.Int(0)))
	}
}

func (m *machine) testing(e program.Node, v value.Value) *asked {
	s, ok := v.(value.Symbol)
	if !ok || m.inquiry != nil { // both ways are taken there, and what comes of them has a name
		return nil
	}
	q := m.question(e)
	q.test = s.Expr
	if len(q.each) < maxVarying && !slices.ContainsFunc(q.each, func(e *value.Expr) bool { return e.String() == s.Expr.String() }) {
		q.each = append(q.each, s.Expr)
	}
	q.varies = len(q.each) > 1
	return q
}

// answer works out how the comparisons of an instance came out, and, for those that have come out one way only, what an
// unknown would have to be for the other.
func (w *sweep) answer(in *instance) {
	m := in.with(in.values)
	for _, q := range w.l.compared {
		if q.varies && q.answers[0] && q.answers[1] {
			continue
		}
		for _, test := range q.each {
			v, known := m.peek(test)
			if !known {
				continue
			}
			if !q.varies {
				w.going(in, q, v != 0)
			}
			q.answers[value.Bool(v != 0)] = true
			if q.other == nil && q.answers[0] != q.answers[1] {
				q.other = w.otherwise(in, test, v != 0)
			}
		}
	}
}

// supposing is what an expression is worth if unknowns had the values; the instance keeps its own.
func (in *instance) supposing(e *value.Expr, values map[string]int64) (int64, bool) {
	return in.with(values).peek(e)
}

func (in *instance) with(values map[string]int64) *machine {
	other := *in
	other.values, other.epoch = maps.Clone(values), epochs.Add(1)
	return &machine{in: &other, host: true}
}

// going notes how often loops go round with the answer of a test in an instance.
func (w *sweep) going(in *instance, q *asked, answer bool) {
	g := &q.goes[value.Bool(answer)]
	for _, leaf := range value.Leaves(q.test, nil) {
		key := in.keyOf(leaf)
		if u := w.unknowns[key]; u != nil && !u.Boolean && w.l.rounds[key] && (g.key == "" || in.values[key] > g.most) {
			g.key, g.most, g.in = key, in.values[key], in.values
		}
	}
}

const (
	least          = 3  // rounds of every loop
	farthestTested = 16 // more rounds for an answer that few go with
	maxVarying     = 16 // tests at one place that ask something else in each round
)

// keyOf is the unknown that a leaf of an expression stands for.
func (in *instance) keyOf(leaf *value.Expr) string {
	key := leaf.String()
	if same, ok := in.same[key]; ok {
		return same
	}
	return key
}

// otherwise is what an unknown of a comparison is worth, beside the others as they are, where the comparison has another
// answer; nil where none is found.
func (w *sweep) otherwise(in *instance, test *value.Expr, answer bool) *setting {
	of := test
	for of.Op == "!" {
		of = of.X
	}
	if of.Y == nil {
		return nil
	}
	for _, sides := range [][2]*value.Expr{{of.X, of.Y}, {of.Y, of.X}} {
		side, against := sides[0], sides[1]
		n, known := in.supposing(against, in.values)
		if !known {
			continue
		}
		for _, leaf := range value.Leaves(side, nil) {
			key := in.keyOf(leaf)
			u := w.unknowns[key]
			num, den := value.Coefficient(side, leaf)
			if u == nil || u.Boolean || num == 0 {
				continue
			}
			at := n * den / num
			for _, v := range append(combination.Constants(side, []int64{at, at + 1, at + den}), at-1, at-den) {
				if r, known := in.supposing(test, valued(in.values, key, v)); known && (r != 0) != answer {
					return &setting{key, v}
				}
			}
		}
	}
	return nil
}

// maxJoint is how many values of an unknown are tried for tests that no value has had together.
const maxJoint = 6

// joint lists values of unknowns with which several tests of one of them come out together as they have not with any value that
// it is given: n % 4 == 0 and n % 6 == 0.
func (w *sweep) joint() (out []setting) {
	tests := map[string][]*value.Expr{}
	for _, q := range w.l.compared {
		if q.test == nil || q.varies {
			continue
		}
		if key := w.only(q.test); key != "" && !slices.ContainsFunc(tests[key], func(e *value.Expr) bool { return e.String() == q.test.String() }) {
			tests[key] = append(tests[key], q.test)
		}
	}
	for _, key := range w.order {
		if len(tests[key]) < 2 || len(tests[key]) > 32 {
			continue
		}
		answers := func(v int64) (bits uint32, known bool) {
			for i, e := range tests[key] {
				r, known := w.last.supposing(e, valued(w.last.values, key, v))
				if !known {
					return 0, false
				}
				bits |= uint32(value.Bool(r != 0)) << i
			}
			return bits, true
		}
		slices.SortFunc(tests[key], func(a, b *value.Expr) int { return strings.Compare(a.String(), b.String()) })
		met := map[uint32]bool{}
		for _, v := range w.options(key) {
			bits, _ := answers(v)
			met[bits] = true
		}
		found := 0
		for _, v := range combination.Candidates(tests[key]) {
			if bits, known := answers(v); known && !met[bits] && found < maxJoint && w.allows(setting{key, v}) {
				met[bits], found = true, found+1
				out = append(out, setting{key, v})
			}
		}
	}
	return out
}

// only is the one unknown that an expression is of, if it has a number as its value.
func (w *sweep) only(e *value.Expr) string {
	key := ""
	for _, leaf := range value.Leaves(e, nil) {
		k := w.last.keyOf(leaf)
		if key != "" && k != key {
			return ""
		}
		key = k
	}
	if u := w.unknowns[key]; u == nil || u.Boolean || w.l.domains[key] != nil {
		return ""
	}
	return key
}

// allows reports whether an unknown may have a value that it has not been given yet: loops go round only so often. What the last
// runs did not ask for has none.
func (w *sweep) allows(o setting) bool {
	if w.unknowns[o.key] == nil || w.refuses(o) || w.l.rounds[o.key] && o.v > farthest*max(1, w.l.scales[o.key]) && !w.short(o) {
		return false
	}
	return !slices.Contains(w.options(o.key), o.v)
}

// short reports whether no loop goes round too often for an unknown to have a value: (unsigned short)n rounds are few again with 65536.
// The first test of a loop says how far its counter is from its end.
func (w *sweep) short(o setting) bool {
	for _, end := range w.l.firsts {
		x, y := end, value.Const(0)
		if end.Y != nil && value.IsComparison(end.Op) {
			x, y = end.X, end.Y
		}
		values := valued(w.last.values, o.key, o.v)
		a, known := w.last.supposing(x, values)
		b, is := w.last.supposing(y, values)
		if !known || !is || max(a-b, b-a) > farthest {
			return false
		}
	}
	return len(w.l.firsts) > 0
}

// refuses reports whether no launch has the value: an extent of what TMA copies and a divisor are not below one.
func (w *sweep) refuses(o setting) bool {
	return o.v < 1 && (w.l.divisors[o.key] || w.la.filled(o.key) && !w.l.provided[o.key])
}
