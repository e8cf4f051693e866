package lower

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

func (m *machine) unaryExpr(e *program.Unary, s *scope) value {
	x := m.evalTyped(e.X, s)
	return unary(e.Op, x)
}

func (m *machine) binaryExpr(e *program.Binary, s *scope) value {
	x := m.evalTyped(e.X, s)
	switch e.Op {
	case "&&", "||":
		if v, ok := m.shortCircuit(x, e, s); ok {
			return v
		}
		// A known left side decides (short circuit); Python returns the operand itself, which only matters for defaults.
		if n, ok := untyped(x).(integer); ok {
			if (n != 0) == (e.Op == "||") {
				return x
			}
			return m.evalTyped(e.Y, s)
		}
		if !m.host && m.touches(e.Y) {
			if _, ok := untyped(x).(mixed); ok && !m.syncs(e.Y) {
				if x, ok = m.known(untyped(x)); !ok {
					x = data{}
				}
			}
			if _, ok := x.(data); ok {
				if m.syncs(e.Y) {
					m.stop(e, limit.DataBranch, "branch on data that is only known when the kernel runs")
				}
				m.lose(e.Y, s)
				return data{}
			}
			if m.truth(x, e.X) == (e.Op == "||") {
				return boolean(e.Op == "||")
			}
			return m.evalTyped(e.Y, s)
		}
		if _, ok := x.(none); ok {
			if e.Op == "&&" {
				return x
			}
			return m.evalTyped(e.Y, s)
		}
		return m.calculate(e.Op, truthValue(x), truthValue(m.evalTyped(e.Y, s)))
	case "not in":
		return unary("!", binary("in", x, m.evalTyped(e.Y, s)))
	}
	y := m.evalTyped(e.Y, s)
	m.compares(e, e.Op, x, y)
	return m.operate(m.operator(e.Op), x, y, e)
}

// shortCircuit decides Python's and/or by a left side that is no number: the operand itself is the result.
func (m *machine) shortCircuit(x value, e *program.Binary, s *scope) (value, bool) {
	truth := false
	switch x := x.(type) {
	case *object, *closure, *class, *partial, pointer, moduleRef, boundMethod:
		truth = m.truth(x, e.X)
	case text, *sequence, *mapping, float, *enumMember:
		truth = m.truth(x, e.X)
	case path: // a function or module of the DSL is there
		if truth = strings.HasPrefix(string(x), "cutlass."); !truth {
			return nil, false
		}
	default:
		return nil, false
	}
	if truth == (e.Op == "||") {
		return x, true
	}
	return m.eval(e.Y, s), true
}

// truthValue maps lanes to 0 and 1 so that && and || on them are exact.
func truthValue(v value) value {
	v = untyped(v)
	if l, ok := v.(lanes); ok {
		out := make(lanes, len(l))
		for i, x := range l {
			out[i] = int64(boolean(x != 0))
		}
		return out.shrink()
	}
	return v
}

func (m *machine) conditional(e *program.Cond, s *scope) value {
	test := unregistered(m.eval(e.Test, s))
	if mix, ok := test.(mixed); ok && !m.syncs(e.Then) && !m.syncs(e.Else) {
		if test, ok = m.known(mix); !ok {
			test = data{}
		}
	}
	switch t := test.(type) {
	case data:
		if m.launch != nil {
			break
		}
		if m.syncs(e.Then) || m.syncs(e.Else) {
			m.stop(e, limit.DataBranch, "branch on data that is only known when the kernel runs")
		}
		return m.either(e, s)
	case lanes:
		if !m.touches(e.Then) && !m.touches(e.Else) {
			a, b := m.evalTyped(e.Then, s), m.evalTyped(e.Else, s)
			chosen := mix(t, a, b)
			if _, unknown := chosen.(data); unknown && !m.host {
				m.surrender([]value{a, b}, "a pointer that differs from thread to thread", 0)
			}
			return chosen
		}
	case symbol:
		if !m.touches(e.Then) && !m.touches(e.Else) {
			if n, ok := m.peek(t.expr); ok {
				test = integer(n)
			} else if a, b := m.evalTyped(e.Then, s), m.evalTyped(e.Else, s); canonical(a) == canonical(b) && !isVariable(a) {
				return a
			} else if isVariable(a) && isVariable(b) && !m.truth(test, e) {
				return b
			} else if isVariable(a) && isVariable(b) {
				return a
			}
		}
	}
	yes := m.truth(test, e)
	if m.conditionIs(e, e.Test, s, yes); yes {
		return m.evalTyped(e.Then, s)
	}
	return m.evalTyped(e.Else, s)
}

// isVariable reports whether a value is the address of a variable.
func isVariable(v value) bool {
	_, ok := v.(location)
	return ok
}

// either is the value of one of two expressions, of which the running kernel chooses one.
func (m *machine) either(e *program.Cond, s *scope) value {
	arm := func(x program.Expr) []program.Stmt {
		return []program.Stmt{&program.Return{Place: program.Place{Span: x.Where()}, Value: x}}
	}
	st := &program.If{Place: program.Place{Span: e.Where()}, Cond: e.Test, Then: arm(e.Then), Else: arm(e.Else)}
	if _, v, ok := m.both(st, data{}, s); ok {
		return v
	}
	m.lose(e.Then, s)
	m.lose(e.Else, s)
	return data{}
}

func mix(t lanes, a, b value) value {
	if p, ok := a.(pointer); ok {
		q, ok := b.(pointer)
		if ok && p.block == q.block && p.cta == nil && q.cta == nil && p.each == q.each && slices.Equal(p.dims, q.dims) && canonical(p.elem) == canonical(q.elem) {
			if at := mix(t, p.offset, q.offset); at != (data{}) {
				p.offset = at
				return p
			}
		}
		return data{}
	}
	if w, ok := commonType(a, b); ok {
		return typed(mix(t, converted(untyped(a), w.t), converted(untyped(b), w.t)), w.t)
	}
	out := make(lanes, len(t))
	pick := func(v value, i int) (int64, bool) {
		switch v := v.(type) {
		case integer:
			return int64(v), true
		case lanes:
			return v[i], len(v) == len(t)
		}
		return 0, false
	}
	for i, x := range t {
		src := a
		if x == 0 {
			src = b
		}
		v, ok := pick(src, i)
		if !ok {
			return data{}
		}
		out[i] = v
	}
	return out.shrink()
}
