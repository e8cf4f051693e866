package lower

import (
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/lower/combination"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// What the host side asks of numbers that nobody gives decides which kernel is compiled: N <= 16384 gives a cluster of one,
// and stages == 1 another epilogue. The other answer is another kernel of the same source, so a value that gives it is an
// option like a flag is. The questions are those that were asked on the way to the launch, as expressions over the unknowns.

// maxQuestions bounds the questions kept of one way to the launch.
const maxQuestions = 200

// asks notes the comparisons with numbers that decide something on the way to the launch, or in the kernel.
func (la *launch) asks(e *value.Expr) {
	switch {
	case e == nil || e.IsConst || e.Op == "":
	case !value.IsComparison(e.Op):
		la.asks(e.X)
		la.asks(e.Y)
		la.asks(e.C)
	case len(la.questions) < maxQuestions && combination.HasNumber(e):
		if la.questions == nil {
			la.questions = map[string]*value.Expr{}
		}
		la.questions[e.String()] = e
	}
}

// asksIn notes what tests of the kernel ask of the fields and parameters that it is given.
func (la *launch) asksIn(tests []program.Expr) {
	given := map[string]value.Value{}
	la.eachGiven(func(name string, v value.Value) { given[name] = v })
	named := func(e program.Expr) value.Value {
		switch e := e.(type) {
		case *program.Name:
			return given[e.Ident]
		case *program.Attr:
			return given[e.Name]
		case *program.Int:
			return value.Int(e.Value)
		}
		return nil
	}
	for _, test := range tests {
		program.WalkExprs(test, func(e program.Expr) bool {
			if b, ok := e.(*program.Binary); ok && value.IsComparison(b.Op) {
				if x, y := named(b.X), named(b.Y); x != nil && y != nil {
					if s, ok := value.Binary(b.Op, value.Whole(x), value.Whole(y)).(value.Symbol); ok {
						la.asks(s.Expr)
					}
				}
			}
			if s, ok := named(e).(value.Symbol); ok {
				la.asks(s.Expr)
			}
			return true
		})
	}
}

// answer is a value of an unknown with which a question has the other answer.
type answer struct {
	key   string
	value int64
}

// otherwise lists, for each question and each unknown in it, a value with which the answer is the other one, the other unknowns
// as they are.
func (l *lowering) otherwise(la *launch) []answer {
	var out []answer
	l.guard(func(m *machine) {
		maps.Copy(m.in.values, la.hints) // what nothing on the way to the launch asked for
		maps.Copy(m.in.values, la.values)
		for _, text := range slices.Sorted(maps.Keys(la.questions)) {
			q := la.questions[text]
			is, known := m.peek(q)
			if !known {
				continue
			}
			for _, leaf := range m.leaves(q, nil) {
				old, assumed := m.in.values[leaf]
				if !assumed || combination.OfDevice(leaf) {
					continue
				}
				for _, v := range combination.Crossings(q, old) {
					m.in.give(leaf, v)
					if now, known := m.peek(q); known && (now != 0) != (is != 0) {
						if a := (answer{leaf, v}); !slices.Contains(out, a) {
							out = append(out, a)
						}
						break
					}
				}
				m.in.give(leaf, old)
			}
		}
	})
	return out
}
