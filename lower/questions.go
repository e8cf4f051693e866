package lower

import (
	"maps"
	"math/bits"
	"slices"

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
	case len(la.questions) < maxQuestions && hasNumber(e):
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

func hasNumber(e *value.Expr) bool {
	return e != nil && (e.IsConst || hasNumber(e.X) || hasNumber(e.Y) || hasNumber(e.C))
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
				if !assumed || ofDevice(leaf) {
					continue
				}
				for _, v := range crossings(q, old) {
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

// crossings are the values tried for an unknown: those around the constants of a question, as round as these are, then its own
// value doubled and halved again and again.
func crossings(q *value.Expr, old int64) (out []int64) {
	var constants func(e *value.Expr)
	constants = func(e *value.Expr) {
		switch {
		case e == nil:
		case e.IsConst:
			if c := e.Num; c > 0 && c < maxNumber {
				round := int64(1) << bits.TrailingZeros64(uint64(c))
				out = append(out, c, c+round, c-round, c+1, c-1)
			} else if c == 0 {
				out = append(out, 1)
			}
		default:
			constants(e.X)
			constants(e.Y)
			constants(e.C)
		}
	}
	constants(q)
	for up, down := 2*old, old/2; up < maxNumber || down > 0; up, down = 2*up, down/2 {
		out = append(out, up, down)
		if up == 0 {
			break
		}
	}
	return slices.DeleteFunc(out, func(v int64) bool { return v < 1 || v > maxNumber })
}

// maxNumber is the largest value that an option is tried with.
const maxNumber = 1 << 18
