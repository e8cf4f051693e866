package lower

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// A function under @cute.jit is traced: what its callers in Python pass to it is known only where its annotation says
// Constexpr; tensors and numbers are arguments of the compiled program.

// compile is cute.compile(f, args…): it traces f with the arguments, and what it gives is called like f.
func (m *machine) compile(a *arguments, n program.Node) value {
	call := &arguments{vals: a.vals[1:], open: a.open}
	for i, name := range a.names {
		if name != "options" {
			call.set(name, a.named[i])
		}
	}
	m.callWith(a.vals[0], call, n)
	return a.vals[0]
}

// traced turns the arguments of an outermost @cute.jit function into those of the compiled program.
func (m *machine) traced(params []program.Param, s *scope) {
	for _, p := range params {
		l, ok := s.vars[p.Name]
		if !ok || p.Star > 0 || strings.Contains(p.Type, "Constexpr") {
			continue
		}
		switch v := l.get().(type) {
		case data, symbol, path:
			s.declare(p.Name, m.argument(p, v))
		case integer:
			m.in.hints[p.Name] = int64(v)
			if s.declare(p.Name, m.argument(p, v)); !dynamic(p.Type) && m.launch != nil {
				m.launch.pass(p.Name, v)
			}
		case *sequence:
			s.declare(p.Name, m.sampleTuple(p, v))
		}
	}
}

// sampleTuple is a tuple of numbers that is an argument of the compiled program. A zero in it is a sample of its type: no
// program is compiled for tensors of which an extent is zero.
func (m *machine) sampleTuple(p program.Param, v *sequence) value {
	out := &sequence{elems: slices.Clone(v.elems), list: v.list}
	for i, e := range out.elems {
		if e == value(integer(0)) || dynamic(p.Type) && isInteger(e) {
			m.in.dynamic[p.Name] = true
			out.elems[i] = atom(p.Name + "[" + strconv.Itoa(i) + "]")
		}
	}
	return out
}

// isInteger reports whether a value is a known integer.
func isInteger(v value) bool { _, ok := v.(integer); return ok }

// argument is an argument of the compiled program.
func (m *machine) argument(p program.Param, v value) value {
	if t, ok := v.(path); ok && !strings.Contains(p.Type, "Tensor") {
		return t // a number type, an enumerator
	}
	if s, ok := v.(symbol); ok && s.expr.op == "" && s.expr.atom == p.Name {
		m.in.dynamic[p.Name] = true
		return v
	}
	m.in.dynamic[p.Name] = true
	if s, ok := v.(symbol); ok {
		if t := m.typeOf(s.expr.String()); t != nil {
			m.in.types[p.Name] = t
		}
	}
	return atom(p.Name)
}

// dynamic reports whether a parameter's annotation names one of the DSL's run-time number types.
func dynamic(typ string) bool {
	for _, w := range []string{"Int32", "Int64", "Uint32", "Uint64"} {
		if strings.Contains(typ, w) {
			return true
		}
	}
	return false
}

// annotated makes the numbers that a function of the DSL is given those of the types that it says.
func annotated(params []program.Param, s *scope) {
	for _, p := range params {
		l, ok := s.vars[p.Name]
		k := numberType(lastWord(strings.TrimSpace(p.Type)))
		if !ok || k == nil || !k.number.Known() || p.Star > 0 {
			continue
		}
		if v := l.get(); isNumber(v) {
			s.declare(p.Name, k.of(v))
		}
	}
}

// jit reports whether a function is traced when it is called from Python.
func jit(fn *program.Function) bool {
	for _, a := range fn.Attributes {
		if c, ok := a.(*program.Call); ok {
			a = c.Fun
		}
		switch a := a.(type) {
		case *program.Attr:
			if a.Name == "jit" {
				return true
			}
		case *program.Name:
			if a.Ident == "jit" {
				return true
			}
		}
	}
	return false
}
