package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// eval gives the value of an expression without its type, recording the operations and accesses it performs.
func (m *machine) eval(e program.Expr, s *scope) value { return untyped(m.evalTyped(e, s)) }

// evalTyped is eval that keeps the type: for operands, and for what is kept or handed on.
func (m *machine) evalTyped(e program.Expr, s *scope) value {
	v := m.evaluated(e, s)
	switch x := v.(type) {
	case *sequence:
		if x.lost {
			return data{}
		}
	case *mapping:
		if x.lost {
			return data{}
		}
	}
	return v
}

func (m *machine) evaluated(e program.Expr, s *scope) value {
	m.burn(e)
	switch e := e.(type) {
	case *program.Int:
		return integer(e.Value)
	case *program.Bool:
		return boolean(e.Value)
	case *program.String:
		return text(e.Value)
	case *program.None:
		return none{}
	case *program.Float:
		return floatLiteral(e.Text)
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
		return m.call(e, s)
	case *program.Tuple:
		return m.elements(e.Elems, s)
	case *program.List:
		return asList(m.elements(e.Elems, s))
	case *program.Dict:
		return m.dict(e, s)
	case *program.Lambda:
		return &closure{lambda: e, env: s, mod: m.mod, defaults: m.lambdaDefaults(e, s)}
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
		var last value = data{}
		if e.Why == program.Comma {
			return last
		}
		if m.syncs(e) {
			m.stop(e, limit.Source, "expression not understood (%s)", e.Why)
		}
		return data{}
	}
	return data{}
}

func (m *machine) name(e *program.Name, s *scope) value {
	l, ok := s.lookup(e.Ident)
	if ok {
		v := l.get()
		return v
	}
	if v, ok := m.builtinName(e.Ident); ok {
		return v
	}
	return path(e.Ident)
}

func (m *machine) attr(e *program.Attr, s *scope) value {
	if op, ok := m.table().Attr(e); ok {
		if v, ok := m.query(&op, e); ok {
			return v
		}
	}
	return m.member(m.eval(e.X, s), mangled(e.Name, s), e)
}

// mangled is the name of a private attribute as Python keeps it: __x in the body of class C is _C__x.
func mangled(name string, s *scope) string {
	if !strings.HasPrefix(name, "__") || strings.HasSuffix(name, "__") {
		return name
	}
	for ; s != nil; s = s.parent {
		if s.owner != nil {
			return "_" + strings.TrimLeft(s.owner.decl.Name, "_") + name
		}
	}
	return name
}

// member is x.name for a value x.
func (m *machine) member(x value, name string, n program.Node) value {
	switch x := x.(type) {
	case *object, *class, superRef, *enumMember, *partial, *exception, *closure:
		if v, ok := m.lookup(x, name, n); ok {
			return v
		}
		switch x := x.(type) {
		case *object:
			if x.class != nil {
				return path(x.class.decl.Name + "." + name)
			}
		case *class:
			if name == "allocate" { // of cute.struct: an instance in shared memory
				return boundMethod{x, name}
			}
			return path(x.decl.Name + "." + name)
		}
	case moduleRef:
		return m.in.low.moduleMember(x.mod, name)
	case *tensor:
		return m.memberOf(x, name)
	case *layout:
		return x.member(name)
	case *tiledMMA:
		return m.numberTypeOf(x.member(name))
	case path:
		if name == "FULL_MASK" { // cute.arch.FULL_MASK: every lane of a warp
			return integer(1<<32 - 1)
		}
		if name == "WARP_SIZE" {
			return integer(32)
		}
		if name == "width" && bitsOf(x) > 0 {
			return width(x)
		}
		if k := numberType(lastWord(string(x))); k != nil {
			if v, ok := k.member(name); ok {
				return v
			}
		}
		return path(string(x) + "." + name)
	case symbol:
		if name == "width" && bitsOf(x) > 0 {
			return width(x)
		}
		if numberMethods[name] {
			return boundMethod{x, name}
		}
		if name == elementType[1:] {
			return m.elementType(x.expr.String(), elementType)
		}
		if t := m.typeOf(x.expr.String()); t != nil && name == "dtype" {
			return t
		}
		if name == valueType[1:] && x.expr.op == "" {
			return m.elementType(x.expr.atom, valueType)
		}
		if len(x.expr.String()) < 200 {
			return atom(x.expr.String() + "." + name)
		}
	case *sequence:
		if i := strings.Index("xyz", name); len(name) == 1 && i >= 0 && i < len(x.elems) {
			return x.elems[i]
		}
	case register:
		return x.member(name)
	case pointer:
		if name == "iterator" || name == "ptr" || name == "llvm_ptr" {
			return x
		}
	}
	if v, ok := builtinMember(x, name); ok {
		return v
	}
	m.discard(x) // whatever has no model is a method: it may change what it is called on
	return data{}
}

// metadata reports whether indexing the symbol gives a host-side number rather than memory.
func metadata(name string) bool {
	for _, w := range []string{"shape", "stride", "size", "layout", "dim"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}
