package lower

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// A function under @cute.jit is traced: what its callers in Python pass to it is known only where its annotation says
// Constexpr; tensors and numbers are arguments of the compiled program.

// compile is cute.compile(f, args…): it traces f with the arguments, and what it gives is called like f, without the parameters that are constants of it.
func (m *machine) compile(a *value.Arguments, n program.Node) value.Value {
	call := &value.Arguments{Vals: a.Vals[1:], Open: a.Open}
	for i, name := range a.Names {
		if name != "options" {
			call.Set(name, a.Named[i])
		}
	}
	m.callWith(a.Vals[0], call, n)
	var fun value.Value = a.Vals[0]
	if o, ok := fun.(*value.Object); ok {
		fun = m.called(o)
	}
	if f, ok := fun.(*value.Closure); ok && f.Fn != nil {
		params := f.Fn.Params
		if f.Self != nil {
			params = params[min(1, len(params)):]
		}
		return value.Compiled(a.Vals[0], params, call)
	}
	return a.Vals[0]
}

// traced turns the arguments of an outermost @cute.jit function into those of the compiled program.
func (m *machine) traced(params []program.Param, s *value.Scope) {
	for _, p := range params {
		l, ok := s.Vars[p.Name]
		if !ok || p.Star > 0 || p.CompiledIn() {
			continue
		}
		switch v := l.Get().(type) {
		case value.Data, value.Symbol, value.Path:
			s.Declare(p.Name, m.argument(p, v))
		case value.Int:
			m.in.hints[p.Name] = int64(v)
			if s.Declare(p.Name, m.argument(p, v)); !dynamic(p.Type) && m.launch != nil {
				m.launch.pass(p.Name, v)
			}
		case *value.Sequence:
			s.Declare(p.Name, m.sampleTuple(p, v))
		}
	}
}

// sampleTuple is a tuple of numbers that is an argument of the compiled program. A zero in it is a sample of its type: no
// program is compiled for tensors of which an extent is zero.
func (m *machine) sampleTuple(p program.Param, v *value.Sequence) value.Value {
	out := &value.Sequence{Elems: slices.Clone(v.Elems), List: v.List}
	for i, e := range out.Elems {
		if e == value.Value(value.Int(0)) || dynamic(p.Type) && value.IsInteger(e) {
			m.in.dynamic[p.Name] = true
			out.Elems[i] = value.Atom(p.Name + "[" + strconv.Itoa(i) + "]")
		}
	}
	return out
}

// argument is an argument of the compiled program.
func (m *machine) argument(p program.Param, v value.Value) value.Value {
	if t, ok := v.(value.Path); ok && !strings.Contains(p.Type, "Tensor") {
		return t // a number type, an enumerator
	}
	if s, ok := v.(value.Symbol); ok && s.Expr.Op == "" && s.Expr.Atom == p.Name {
		m.in.dynamic[p.Name] = true
		return v
	}
	m.in.dynamic[p.Name] = true
	if s, ok := v.(value.Symbol); ok {
		if t := m.typeOf(s.Expr.String()); t != nil {
			m.in.types[p.Name] = t
		}
	}
	return value.Atom(p.Name)
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
func annotated(params []program.Param, s *value.Scope) {
	for _, p := range params {
		l, ok := s.Vars[p.Name]
		k := value.NumberType(value.LastWord(strings.TrimSpace(p.Type)))
		if !ok || k == nil || !k.Number.Known() || p.Star > 0 {
			continue
		}
		if v := l.Get(); value.IsNumber(v) {
			s.Declare(p.Name, k.Of(v))
		}
	}
}
