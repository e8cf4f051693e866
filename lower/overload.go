package lower

import (
	"slices"
	"strconv"

	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// overloads are the methods by which a class defines an operator: for the left side, and for the right.
var overloads = map[string][2]string{
	"+": {"__add__", "__radd__"}, "-": {"__sub__", "__rsub__"}, "*": {"__mul__", "__rmul__"}, "//": {"__floordiv__", "__rfloordiv__"},
	value.TrueDivision: {"__truediv__", "__rtruediv__"}, "%": {"__mod__", "__rmod__"}, "|": {"__or__", "__ror__"}, "&": {"__and__", "__rand__"},
	"^": {"__xor__", "__rxor__"}, "<<": {"__lshift__", "__rlshift__"}, ">>": {"__rshift__", "__rrshift__"},
	"==": {"__eq__", "__eq__"}, "!=": {"__ne__", "__ne__"}, "<": {"__lt__", "__gt__"}, "<=": {"__le__", "__ge__"},
	">": {"__gt__", "__lt__"}, ">=": {"__ge__", "__le__"}, "in": {"", "__contains__"},
}

// operate applies a binary operator, by a method of the program where an operand's class has one.
func (m *machine) operate(op string, x, y value.Value, n program.Node) value.Value {
	_, left := x.(*value.Object)
	_, right := y.(*value.Object)
	if !left && !right {
		if m.launch != nil {
			m.launch.compares(x, y)
		}
		if v, ok := m.enumIn(op, x, y); ok {
			return v
		}
		m.modulo(op, x, y, n)
		if m.dividesByZero(op, x, y) {
			m.throw(n, "ZeroDivisionError", "division by zero")
		}
		return m.calculate(op, x, y)
	}
	if f := m.dunder(x, overloads[op][0]); left && f != nil {
		return m.callWith(f, &value.Arguments{Vals: []value.Value{y}}, n)
	}
	if f := m.dunder(y, overloads[op][1]); right && f != nil {
		return m.callWith(f, &value.Arguments{Vals: []value.Value{x}}, n)
	}
	if op == "!=" {
		if f := m.dunder(x, "__eq__"); left && f != nil {
			return value.Unary("!", m.callWith(f, &value.Arguments{Vals: []value.Value{y}}, n))
		}
	}
	if op == "in" {
		if o, ok := y.(*value.Object); ok {
			if items, ok := m.iterate(o, n); ok {
				return value.Contains(x, &value.Sequence{Elems: items})
			}
		}
	}
	a, okx := value.AsSequence(x)
	b, oky := value.AsSequence(y)
	if okx && oky {
		return value.Binary(op, a, b)
	}
	return value.Binary(op, x, y)
}

// dividesByZero reports whether a known number is divided by a known zero, for which Python raises an error. While the kernel runs
// it is undefined. What may not happen is not looked at.
func (m *machine) dividesByZero(op string, x, y value.Value) bool {
	if m.sampling || m.watch != nil || op != "//" && op != "%" && op != value.TrueDivision {
		return false
	}
	_, known := value.AsFloat(value.Untyped(x))
	by, zero := value.AsFloat(value.Untyped(y))
	return known && zero && by == 0
}

// enumIn is x in E for an enumeration.
func (m *machine) enumIn(op string, x, y value.Value) (value.Value, bool) {
	c, ok := y.(*value.Class)
	if !ok || op != "in" || !c.Enum {
		return nil, false
	}
	return value.Contains(x, &value.Sequence{Elems: c.Members()}), true
}

func inPlace(op string) string {
	if name := overloads[op][0]; len(name) > 2 {
		return "__i" + name[2:]
	}
	return ""
}

// objectTruth is bool(o): by __bool__ or __len__, else true.
func (m *machine) objectTruth(o *value.Object, n program.Node) bool {
	for _, name := range []string{"__bool__", "__len__"} {
		if f := m.dunder(o, name); f != nil {
			return m.truth(m.callWith(f, &value.Arguments{}, n), n)
		}
	}
	return true
}

// setItem is x[i] = v for objects, and for lists and dicts of Python.
func (m *machine) setItem(t *program.Index, v value.Value, s *value.Scope) bool {
	switch x := m.eval(t.X, s).(type) {
	case *value.Object:
		if f := m.dunder(x, "__setitem__"); f != nil {
			m.callWith(f, &value.Arguments{Vals: []value.Value{m.index(t, s), v}}, t)
			return true
		}
	case *value.Sequence:
		if sl, ok := t.Args[0].(*program.SliceExpr); ok && len(t.Args) == 1 && x.List {
			m.setSlice(x, sl, v, t, s)
			return true
		}
	case *value.Mapping:
		key := m.index(t, s)
		old, present, _ := x.At(key)
		if x.Put(key, v); present {
			m.replaces(x, old, v, t)
		} else {
			m.altered(x, true, t)
		}
		return true
	}
	return false
}

// classStmt executes a class statement.
func (m *machine) classStmt(st *program.ClassDef, s *value.Scope) {
	s.Declare(st.Class.Name, m.defineClass(st.Class, s))
}

// lambdaDefaults evaluates the defaults of a lambda's parameters.
func (m *machine) lambdaDefaults(e *program.Lambda, s *value.Scope) []value.Value {
	return m.defaults(e.Params, s)
}

// starred assigns to targets of which one is *rest.
func (m *machine) starred(targets []program.Expr, v value.Value, s *value.Scope) bool {
	at := -1
	for i, t := range targets {
		if _, ok := t.(*program.Starred); ok {
			at = i
		}
	}
	if at < 0 {
		return false
	}
	items, ok := m.iterate(v, targets[at])
	after := len(targets) - at - 1
	if !ok || len(items) < len(targets)-1 {
		for _, t := range targets {
			m.assign(t, value.Data{}, s)
		}
		return true
	}
	for i, t := range targets {
		switch {
		case i < at:
			m.assign(t, items[i], s)
		case i == at:
			m.assign(t, &value.Sequence{Elems: slices.Clone(items[at : len(items)-after]), List: true}, s)
		default:
			m.assign(t, items[len(items)-len(targets)+i], s)
		}
	}
	return true
}

// arith is x op y: what the DSL computes while the kernel runs has MLIR's remainder.
func (m *machine) arith(op string, x, y value.Value) value.Value {
	if op == "&&" || op == "||" || op == "in" || !value.IsNumber(x) || !value.IsNumber(y) {
		return value.Binary(op, x, y)
	}
	if op == "%" && !m.host {
		return value.DividedBy(x, y)
	}
	return value.Binary(op, x, y)
}

// calculate is x op y. Where the expression would be too long, as after many rounds of a loop that is executed (follow), its
// sides are given short names.
func (m *machine) calculate(op string, x, y value.Value) value.Value {
	v := m.arith(op, x, y)
	if _, unknown := v.(value.Data); !unknown || m.host {
		return v
	}
	a, okx := value.AsExpr(x)
	b, oky := value.AsExpr(y)
	if !okx || !oky || a.Size+b.Size < value.MaxOperators {
		return v
	}
	return value.Binary(op, m.abbreviated(a), m.abbreviated(b))
}

// abbreviated is an expression under a short name, the same wherever the expression is the same.
func (m *machine) abbreviated(e *value.Expr) value.Value {
	if e.Size <= value.MaxOperators/4 {
		return value.Symbol{Expr: e}
	}
	name := m.in.low.shortName("expression", e.String())
	m.in.low.meanings[name] = e
	return value.Atom(name)
}

// once gives an element, whose base and index an assignment asks for again and again, with what they change changed.
func (m *machine) once(t program.Expr, s *value.Scope) (program.Expr, *value.Scope) {
	e, ok := t.(*program.Index)
	if !ok || !syntax.ChangesSomething(e) {
		return t, s
	}
	made, inner := *e, value.NewScope(s, false)
	made.Args = slices.Clone(e.Args)
	hold := func(x *program.Expr, name string) {
		if syntax.ChangesSomething(*x) {
			inner.Declare(name, m.evalTyped(*x, s))
			*x = &program.Name{Place: program.Place{Span: (*x).Where()}, Ident: name}
		}
	}
	hold(&made.X, "the base")
	for i := range made.Args {
		hold(&made.Args[i], "index "+strconv.Itoa(i))
	}
	return &made, inner
}
