package value

// Answered is a test of unknowns and how it came out.
type Answered struct {
	Test   *Expr
	Answer bool
}

// Implies reports whether what came out so leaves another test no other answer. It is known of comparisons of one expression with
// constants: between the places where one of them changes its answer neither does.
func (a Answered) Implies(b Answered) bool {
	x, y := comparisonOf(a), comparisonOf(b)
	if x.of == nil || y.of == nil || x.of.String() != y.of.String() {
		return false
	}
	some := false
	floor, counted := least(x.of)
	for _, c := range [...]int64{-1, 0, floor, x.with - 1, x.with, x.with + 1, y.with - 1, y.with, y.with + 1} {
		if c < floor && counted || !x.holds(c) {
			continue
		}
		if some = true; !y.holds(c) {
			return false
		}
	}
	return some
}

// least is what an expression is worth at least, as far as that is known: unknowns are not negative.
func least(e *Expr) (n int64, known bool) {
	if e.Op == "" {
		return e.Num, true // of an unknown zero
	}
	if e.X == nil || e.Y == nil {
		return 0, false
	}
	x, ok := least(e.X)
	y, both := least(e.Y)
	switch e.Op {
	case "+":
		return x + y, ok && both
	case "-":
		return x - e.Y.Num, ok && e.Y.IsConst
	case "*", "/", "//", "%", "&", ">>":
		return 0, ok && both && x >= 0 && y >= 0
	}
	return 0, false
}

// comparison is one of an expression with a constant, as it came out.
type comparison struct {
	of     *Expr
	op     string
	with   int64
	answer bool
}

func comparisonOf(a Answered) comparison {
	e := a.Test
	for e.Op == "!" {
		e, a.Answer = e.X, !a.Answer
	}
	switch {
	case !IsComparison(e.Op):
	case e.Y.IsConst && !e.X.IsConst:
		return comparison{e.X, e.Op, e.Y.Num, a.Answer}
	case e.X.IsConst && !e.Y.IsConst:
		return comparison{e.Y, flip(e.Op), e.X.Num, a.Answer}
	}
	return comparison{}
}

// holds reports whether the comparison comes out so for a value of its expression.
func (c comparison) holds(v int64) bool {
	yes := false
	switch c.op {
	case "==":
		yes = v == c.with
	case "!=":
		yes = v != c.with
	case "<":
		yes = v < c.with
	case "<=":
		yes = v <= c.with
	case ">":
		yes = v > c.with
	case ">=":
		yes = v >= c.with
	}
	return yes == c.answer
}
