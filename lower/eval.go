package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// eval gives the value of an expression without its type, recording the operations and accesses it performs.
func (m *machine) eval(e program.Expr, s *value.Scope) value.Value {
	return value.Untyped(m.evalTyped(e, s))
}

// evalTyped is eval that keeps the type: for operands, and for what is kept or handed on.
func (m *machine) evalTyped(e program.Expr, s *value.Scope) value.Value {
	v := m.evaluated(e, s)
	switch x := v.(type) {
	case *value.Sequence:
		if x.Lost {
			return value.Data{}
		}
	case *value.Mapping:
		if x.Lost {
			return value.Data{}
		}
	}
	return v
}

func (m *machine) evaluated(e program.Expr, s *value.Scope) value.Value {
	m.burn(e)
	switch e := e.(type) {
	case *program.Int:
		return value.Int(e.Value)
	case *program.Bool:
		return value.Bool(e.Value)
	case *program.String:
		return value.Text(e.Value)
	case *program.None:
		return value.None{}
	case *program.Float:
		return value.FloatLiteral(e.Text)
	case *program.Name:
		return m.name(e, s)
	case *program.Attr:
		return m.attr(e, s)
	case *program.Index:
		v := m.load(e, s)
		if !view(v) {
			m.busy(e)
		}
		return v
	case *program.Unary:
		return m.unaryExpr(e, s)
	case *program.Binary:
		v := m.binaryExpr(e, s)
		m.conditionValue(e, v, s)
		return v
	case *program.Cond:
		return m.conditional(e, s)
	case *program.Call:
		if !m.host {
			m.in.low.made[e] = true
		}
		return m.call(e, s)
	case *program.Tuple:
		return m.elements(e.Elems, s)
	case *program.List:
		return asList(m.elements(e.Elems, s))
	case *program.Dict:
		return m.dict(e, s)
	case *program.Lambda:
		return &value.Closure{Lambda: e, Env: s, Mod: m.mod, Defaults: m.lambdaDefaults(e, s)}
	case *program.Comp:
		return m.comprehension(e, s)
	case *program.AssignExpr:
		v := m.evalTyped(e.Value, s)
		m.assign(e.Target, v, s)
		return v
	case *program.Starred:
		return m.evalTyped(e.X, s)
	case *program.OpaqueExpr:
		if strings.HasPrefix(e.Why, "f-string") {
			return m.formatted(e, s)
		}
		var last value.Value = value.Data{}
		if e.Why == program.Comma {
			return last
		}
		if m.syncs(e) {
			m.stop(e, limit.Source, "expression not understood (%s)", e.Why)
		}
		return value.Data{}
	}
	return value.Data{}
}

func (m *machine) name(e *program.Name, s *value.Scope) value.Value {
	l, ok := s.Lookup(e.Ident)
	if ok {
		v := l.Get()
		return v
	}
	if v, ok := m.builtinName(e.Ident); ok {
		return v
	}
	return value.Path(e.Ident)
}

func (m *machine) attr(e *program.Attr, s *value.Scope) value.Value {
	if op, ok := m.table().Attr(e); ok {
		if v, ok := m.query(&op, e); ok {
			return v
		}
	}
	return m.member(m.eval(e.X, s), mangled(e.Name, s), e)
}

// mangled is the name of a private attribute as Python keeps it: __x in the body of class C is _C__x.
func mangled(name string, s *value.Scope) string {
	if !strings.HasPrefix(name, "__") || strings.HasSuffix(name, "__") {
		return name
	}
	for ; s != nil; s = s.Parent {
		if s.Owner != nil {
			return "_" + strings.TrimLeft(s.Owner.Decl.Name, "_") + name
		}
	}
	return name
}

// member is x.name for a value x.
func (m *machine) member(x value.Value, name string, n program.Node) value.Value {
	switch x := x.(type) {
	case *value.Object, *value.Class, value.SuperRef, *value.EnumMember, *value.PartialCall, *value.Exception, *value.Closure:
		if v, ok := m.lookup(x, name, n); ok {
			return v
		}
		switch x := x.(type) {
		case *value.Object:
			if x.Class != nil {
				return value.Path(x.Class.Decl.Name + "." + name)
			}
		case *value.Class:
			if name == "allocate" { // of cute.struct: an instance in shared memory
				return value.BoundMethod{Self: x, Name: name}
			}
			return value.Path(x.Decl.Name + "." + name)
		}
	case value.ModuleRef:
		return m.in.low.moduleMember(x.Mod, name)
	case *cute.Tensor:
		return m.memberOf(x, name)
	case *cute.Layout:
		return x.Member(name)
	case *cute.TiledMMA:
		return m.numberTypeOf(x.Member(name))
	case value.Path:
		if name == "FULL_MASK" { // cute.arch.FULL_MASK: every lane of a warp
			return value.Int(1<<32 - 1)
		}
		if name == "WARP_SIZE" {
			return value.Int(32)
		}
		if name == "width" && value.BitsOf(x) > 0 {
			return cute.Width(x)
		}
		if k := value.NumberType(value.LastWord(string(x))); k != nil {
			if v, ok := k.Member(name); ok {
				return v
			}
		}
		return value.Path(string(x) + "." + name)
	case value.Symbol:
		if name == "width" && value.BitsOf(x) > 0 {
			return cute.Width(x)
		}
		if numberMethods[name] {
			return value.BoundMethod{Self: x, Name: name}
		}
		if name == value.ElementType[1:] {
			return m.elementType(x.Expr.String(), value.ElementType)
		}
		if t := m.typeOf(x.Expr.String()); t != nil && name == "dtype" {
			return t
		}
		if name == value.ValueType[1:] && x.Expr.Op == "" {
			return m.elementType(x.Expr.Atom, value.ValueType)
		}
		if name == "llvm_ptr" {
			return x // the same address, as LLVM has it
		}
		if len(x.Expr.String()) < 200 {
			return value.Atom(x.Expr.String() + "." + name)
		}
	case *value.Sequence:
		if i := strings.Index("xyz", name); len(name) == 1 && i >= 0 && i < len(x.Elems) {
			return x.Elems[i]
		}
	case value.Register:
		return x.Member(name)
	case value.Pointer:
		if v, ok := x.Member(name); ok {
			return v
		}
		if !m.host && !pointerMethods[name] {
			m.surrenderPointer(x, "used by "+clip(name)+", which is not modelled")
		}
	}
	if v, ok := builtinMember(x, name); ok {
		return v
	}
	m.discard(x) // whatever has no model is a method: it may change what it is called on
	return value.Data{}
}
