package lower

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

func (m *machine) unaryExpr(e *program.Unary, s *Scope) Value {
	x := m.evalTyped(e.X, s)
	return Unary(e.Op, x)
}

func (m *machine) binaryExpr(e *program.Binary, s *Scope) Value {
	x := m.evalTyped(e.X, s)
	switch e.Op {
	case "&&", "||":
		if v, ok := m.shortCircuit(x, e, s); ok {
			return v
		}
		// A known left side decides (short circuit); Python returns the operand itself, which only matters for defaults.
		if n, ok := Untyped(x).(Int); ok {
			if (n != 0) == (e.Op == "||") {
				return x
			}
			return m.evalTyped(e.Y, s)
		}
		if !m.host && m.touches(e.Y) {
			if _, ok := Untyped(x).(Mixed); ok && !m.syncs(e.Y) {
				if x, ok = m.known(Untyped(x)); !ok {
					x = Data{}
				}
			}
			if _, ok := x.(Data); ok {
				if m.syncs(e.Y) {
					m.stop(e, limit.DataBranch, "branch on data that is only known when the kernel runs")
				}
				m.lose(e.Y, s)
				return Data{}
			}
			if m.truth(x, e.X) == (e.Op == "||") {
				return Bool(e.Op == "||")
			}
			return m.evalTyped(e.Y, s)
		}
		if _, ok := x.(None); ok {
			if e.Op == "&&" {
				return x
			}
			return m.evalTyped(e.Y, s)
		}
		return m.calculate(e.Op, TruthValue(x), TruthValue(m.evalTyped(e.Y, s)))
	case "not in":
		return Unary("!", Binary("in", x, m.evalTyped(e.Y, s)))
	}
	y := m.evalTyped(e.Y, s)
	m.compares(e, e.Op, x, y)
	return m.operate(m.operator(e.Op), x, y, e)
}

// shortCircuit decides Python's and/or by a left side that is no number: the operand itself is the result.
func (m *machine) shortCircuit(x Value, e *program.Binary, s *Scope) (Value, bool) {
	truth := false
	switch x := x.(type) {
	case *Object, *Closure, *Class, *PartialCall, Pointer, ModuleRef, BoundMethod:
		truth = m.truth(x, e.X)
	case Text, *Sequence, *Mapping, Float, *EnumMember:
		truth = m.truth(x, e.X)
	case Path: // a function or module of the DSL is there
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

func (m *machine) conditional(e *program.Cond, s *Scope) Value {
	test := Unregistered(m.eval(e.Test, s))
	if mix, ok := test.(Mixed); ok && !m.syncs(e.Then) && !m.syncs(e.Else) {
		if test, ok = m.known(mix); !ok {
			test = Data{}
		}
	}
	switch t := test.(type) {
	case Data:
		if m.launch != nil {
			break
		}
		if m.syncs(e.Then) || m.syncs(e.Else) {
			m.stop(e, limit.DataBranch, "branch on data that is only known when the kernel runs")
		}
		return m.either(e, s)
	case Lanes:
		if !m.touches(e.Then) && !m.touches(e.Else) {
			a, b := m.evalTyped(e.Then, s), m.evalTyped(e.Else, s)
			chosen := Mix(t, a, b)
			if _, unknown := chosen.(Data); unknown && !m.host {
				m.surrender([]Value{a, b}, "a pointer that differs from thread to thread", 0)
			}
			return chosen
		}
	case Symbol:
		if !m.touches(e.Then) && !m.touches(e.Else) {
			if n, ok := m.peek(t.Expr); ok {
				test = Int(n)
			} else if a, b := m.evalTyped(e.Then, s), m.evalTyped(e.Else, s); Canonical(a) == Canonical(b) && !IsVariable(a) {
				return a
			} else if IsVariable(a) && IsVariable(b) && !m.truth(test, e) {
				return b
			} else if IsVariable(a) && IsVariable(b) {
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

// IsVariable reports whether a value is the address of a variable.
func IsVariable(v Value) bool {
	_, ok := v.(Location)
	return ok
}

// either is the value of one of two expressions, of which the running kernel chooses one.
func (m *machine) either(e *program.Cond, s *Scope) Value {
	arm := func(x program.Expr) []program.Stmt {
		return []program.Stmt{&program.Return{Place: program.Place{Span: x.Where()}, Value: x}}
	}
	st := &program.If{Place: program.Place{Span: e.Where()}, Cond: e.Test, Then: arm(e.Then), Else: arm(e.Else)}
	if _, v, ok := m.both(st, Data{}, s); ok {
		return v
	}
	m.lose(e.Then, s)
	m.lose(e.Else, s)
	return Data{}
}

func Mix(t Lanes, a, b Value) Value {
	if p, ok := a.(Pointer); ok {
		q, ok := b.(Pointer)
		if ok && p.Block == q.Block && p.Cta == nil && q.Cta == nil && p.Each == q.Each && slices.Equal(p.Dims, q.Dims) && Canonical(p.Elem) == Canonical(q.Elem) {
			if at := Mix(t, p.Offset, q.Offset); at != (Data{}) {
				p.Offset = at
				return p
			}
		}
		return Data{}
	}
	if w, ok := CommonType(a, b); ok {
		return Typed(Mix(t, Converted(Untyped(a), w.T), Converted(Untyped(b), w.T)), w.T)
	}
	out := make(Lanes, len(t))
	pick := func(v Value, i int) (int64, bool) {
		switch v := v.(type) {
		case Int:
			return int64(v), true
		case Lanes:
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
			return Data{}
		}
		out[i] = v
	}
	return out.Shrink()
}
