package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/iteration"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

func (m *machine) unaryExpr(e *program.Unary, s *value.Scope) value.Value {
	x := m.evalTyped(e.X, s)
	return value.Unary(e.Op, x)
}

func (m *machine) binaryExpr(e *program.Binary, s *value.Scope) value.Value {
	x := m.evalTyped(e.X, s)
	switch e.Op {
	case "&&", "||":
		if v, ok := m.shortCircuit(x, e, s); ok {
			return v
		}
		// A known left side decides (short circuit); Python returns the operand itself, which only matters for defaults.
		if n, ok := value.Untyped(x).(value.Int); ok {
			if (n != 0) == (e.Op == "||") {
				return x
			}
			return m.chosen(e.Y, s)
		}
		if !m.host && m.touches(e.Y) {
			if _, ok := value.Untyped(x).(value.Mixed); ok && !m.syncs(e.Y) {
				if x, ok = m.known(value.Untyped(x)); !ok {
					x = value.Data{}
				}
			}
			if _, ok := x.(value.Data); ok {
				if m.syncs(e.Y) {
					m.stop(e, limit.DataBranch, "branch on data that is only known when the kernel runs")
				}
				return m.either(choiceOf(e), s)
			}
			if m.truth(x, e.X) == (e.Op == "||") {
				return value.Bool(e.Op == "||")
			}
			return m.chosen(e.Y, s)
		}
		if _, ok := x.(value.None); ok {
			if e.Op == "&&" {
				return x
			}
			return m.chosen(e.Y, s)
		}
		return m.calculate(e.Op, value.TruthValue(x), value.TruthValue(m.chosen(e.Y, s)))
	case "not in":
		return value.Unary("!", value.Binary("in", x, m.evalTyped(e.Y, s)))
	}
	y := m.evalTyped(e.Y, s)
	m.awaitsPlace(x, y)
	m.awaitsPlace(y, x)
	m.compares(e, e.Op, x, y)
	if p, ok := m.further(e.Op, x, y); ok {
		return p
	}
	return m.operate(m.operator(e.Op), x, y, e)
}

// shortCircuit decides Python's and/or by a left side that is no number: the operand itself is the result.
func (m *machine) shortCircuit(x value.Value, e *program.Binary, s *value.Scope) (value.Value, bool) {
	truth := false
	switch x := x.(type) {
	case *value.Object, *value.Closure, *value.Class, *value.PartialCall, value.Pointer, value.ModuleRef, value.BoundMethod:
		truth = m.truth(x, e.X)
	case value.Text, *value.Sequence, *value.Mapping, value.Float, *value.EnumMember:
		truth = m.truth(x, e.X)
	case value.Path: // a function or module of the DSL is there
		if truth = strings.HasPrefix(string(x), "cutlass."); !truth {
			return nil, false
		}
	default:
		return nil, false
	}
	if truth == (e.Op == "||") {
		return x, true
	}
	return m.chosen(e.Y, s), true
}

func (m *machine) conditional(e *program.Cond, s *value.Scope) value.Value {
	test := value.Unregistered(m.eval(e.Test, s))
	if mix, ok := test.(value.Mixed); ok && !m.syncs(e.Then) && !m.syncs(e.Else) {
		if test, ok = m.known(mix); !ok {
			test = value.Data{}
		}
	}
	switch t := test.(type) {
	case value.Data:
		if m.launch != nil {
			break
		}
		if m.syncs(e.Then) || m.syncs(e.Else) {
			m.stop(e, limit.DataBranch, "branch on data that is only known when the kernel runs")
		}
		return m.either(e, s)
	case value.Lanes:
		if !m.touches(e.Then) && !m.touches(e.Else) {
			a, b := m.chosen(e.Then, s), m.chosen(e.Else, s)
			chosen := value.Mix(t, a, b)
			if _, unknown := chosen.(value.Data); unknown && !m.host {
				m.surrender([]value.Value{a, b}, "a pointer that differs from thread to thread", 0)
			}
			return chosen
		}
	case value.Symbol:
		if !m.touches(e.Then) && !m.touches(e.Else) {
			if n, ok := m.peek(t.Expr); ok {
				test = value.Int(n)
			} else if a, b := m.chosen(e.Then, s), m.chosen(e.Else, s); value.Canonical(a) == value.Canonical(b) && !value.IsVariable(a) {
				return a
			} else if value.IsVariable(a) && value.IsVariable(b) && !m.truth(test, e) {
				return b
			} else if value.IsVariable(a) && value.IsVariable(b) {
				return a
			}
		}
	}
	yes := m.truth(test, e)
	if m.conditionIs(e, e.Test, s, test, yes); yes {
		return m.chosen(e.Then, s)
	}
	return m.chosen(e.Else, s)
}

// chosen evaluates what may not be evaluated though the statement it stands in is run: what one answer of a test leads to, an element.
func (m *machine) chosen(e program.Expr, s *value.Scope) value.Value {
	if !m.host {
		m.in.low.made[e] = true
	}
	return m.evalTyped(e, s)
}

// choiceOf is x and y as y if x else False, x or y as True if x else y.
func choiceOf(e *program.Binary) *program.Cond {
	c := &program.Cond{Place: e.Place, Test: e.X, Then: e.Y, Else: &program.Bool{Place: e.Place}}
	if e.Op == "||" {
		c.Then, c.Else = &program.Bool{Place: e.Place, Value: true}, e.Y
	}
	return c
}

// either is the value of one of two expressions, of which the running kernel chooses one.
func (m *machine) either(e *program.Cond, s *value.Scope) value.Value {
	arm := func(x program.Expr) []program.Stmt {
		m.in.low.made[x] = true
		return []program.Stmt{&program.Return{Place: program.Place{Span: x.Where()}, Value: x}}
	}
	st := &program.If{Place: program.Place{Span: e.Where()}, Cond: e.Test, Then: arm(e.Then), Else: arm(e.Else)}
	if _, v, ok := m.both(st, value.Data{}, s); ok {
		return v
	}
	m.lose(e.Then, s)
	m.lose(e.Else, s)
	return value.Data{}
}

// further is the address of a parameter's elements with a number added that is not known: one in the same memory.
func (m *machine) further(op string, x, y value.Value) (value.Value, bool) {
	if op == "+" && value.Unregistered(x) == value.Value(value.Data{}) {
		x, y = y, x
	}
	at, symbol := value.Untyped(x).(value.Symbol)
	_, unknown := value.Unregistered(y).(value.Data)
	if m.host || !symbol || !unknown || op != "+" && op != "-" || !strings.HasSuffix(iteration.Summed(at.Expr), ".iterator") {
		return nil, false
	}
	p, ok := m.pointerOf(at)
	return p.Somewhere(), ok
}
