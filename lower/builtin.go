package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// library evaluates a function the file does not define.
func (m *machine) library(name string, a *Arguments, n program.Node) Value {
	short := name
	if i := strings.LastIndexAny(short, ".:"); i >= 0 {
		short = short[i+1:]
	}
	m.calls(name)
	if m.host && short == "compile" && len(a.Vals) > 0 {
		return m.compile(a, n)
	}
	if m.launch != nil && strings.HasPrefix(name, "math.") {
		a = &Arguments{Vals: m.concrete(&Sequence{Elems: a.Vals}).(*Sequence).Elems, Names: a.Names, Named: a.Named}
	}
	if v, ok := VectorFunction(name, short, a); ok {
		return v
	}
	if v, ok := m.cute(name, short, a, n); ok {
		return v
	}
	if v, ok := m.builtin(name, short, a, n); ok {
		return v
	}
	args := a.All()
	if m.mod.Library && strings.HasPrefix(name, intrinsics) {
		return m.intrinsic(name, args, n)
	}
	effect := m.effect(name)
	switch effect {
	case dialect.Readdresses:
		for _, v := range args { // a type may stand first
			if p, ok := v.(Pointer); ok {
				if d := First(args); BitsOf(d) > 0 {
					return p.OfType(d)
				}
				return p
			}
		}
	case dialect.Converges:
		if m.host {
			break
		}
		if fullMask(short, args) {
			m.exchanged(short, a, n)
		}
		if short == "shuffle_sync" && len(args) == 2 {
			return m.hear(args[0], args[1], n)
		}
		return Heard(short, First(args))
	}
	if adds(name, short, args) && !m.host {
		return m.ticket(n)
	}
	m.handOver(effect, name, args, n)
	// A function of another file may look at the thread index: what a library of the DSL computes on the host side is one unknown for all threads.
	if UniformSymbol(&Sequence{Elems: args}) && len(name) < 200 && (m.host || libraryPath(name)) {
		made := Atom(name + canonicalArgs(args))
		if short == "make_ptr" && BitsOf(First(args)) > 0 {
			m.in.types[made.Expr.Atom] = First(args)
		}
		return made
	}
	return Data{}
}

// unevaluated reports whether nothing but the accesses in a call's arguments is of concern: what is printed or asserted at run time.
func unevaluated(name string) bool {
	switch name {
	case "print", "printf", "static_assert":
		return true
	}
	return false
}

// fullMask reports whether a warp-wide call names all lanes: the first argument of the instruction, the default in the rest of the
// DSL, the third argument of redux_sync.
func fullMask(short string, args []Value) bool {
	mask := First(args)
	if short != "shfl_sync" {
		if short != "redux_sync" || len(args) < 3 {
			return true
		}
		mask = args[2]
	}
	n, ok := Whole(mask).(Int)
	return ok && (n == -1 || n == 1<<32-1)
}

// First is the first of some values, nil where there is none.
func First(args []Value) Value {
	if len(args) == 0 {
		return nil
	}
	return args[0]
}

// builtin evaluates the built-in functions, number types and standard modules of the languages.
func (m *machine) builtin(name, short string, a *Arguments, n program.Node) (v Value, ok bool) {
	if v, ok := m.numeric(short, a, n); ok {
		return v, true
	}
	if v, ok := SameKind(name, a); ok {
		return v, true
	}
	if name == "os.getenv" || name == "os.environ.get" {
		m.in.assumed["no environment variable is set"] = true
		return a.Or(1, "default", None{}), true
	}
	module, _, dotted := strings.Cut(name, ".")
	if v, ok := standard(module, short, a); ok {
		return v, true
	}
	if dotted && !standardModules[module] {
		return nil, false
	}
	if m.onlyComputes(name, a) {
		defer func() {
			if !ok {
				v, ok = Data{}, true
			}
		}()
	}
	if v, ok := m.collect(short, a, n); ok {
		return v, true
	}
	if v, ok := m.iteration(short, a, n); ok {
		return v, true
	}
	if v, ok := m.reflection(short, a, n); ok {
		return v, true
	}
	if v, ok := m.dataclassFunction(short, a, n); ok && (module == "dataclasses" || !dotted) {
		return v, true
	}
	if v, ok := operatorFunction(short, a); ok && (module == "operator" || !dotted) {
		return v, true
	}
	if _, ok := ExceptionBases[short]; ok {
		return &Exception{Name: short, Args: a.Vals}, true
	}
	switch short {
	case "partial":
		if len(a.Vals) > 0 {
			return &PartialCall{Fun: a.Vals[0], Given: &Arguments{Vals: a.Vals[1:], Names: a.Names, Named: a.Named, Open: a.Open}}, true
		}
	case "wraps", "lru_cache", "cache", "update_wrapper", "contextmanager", "total_ordering", "singledispatch":
		return Path(name + canonicalArgs(nil)), true // a decorator that changes nothing that is modelled
	case "assert":
		m.assert(a, n)
		return None{}, true
	case "auto":
		return AutoValue{}, module == "enum" || !dotted
	case "__setattr__": // object.__setattr__(x, name, v), what frozen dataclasses use
		if attr, ok := a.Arg(1).(Text); ok {
			m.setAttribute(a.Arg(0), string(attr), a.Arg(2), n)
		}
		return None{}, module == "object"
	case "__new__":
		if c, ok := a.Arg(0).(*Class); ok && module == "object" {
			return &Object{Class: c, Fields: map[string]Value{}}, true
		}
	case "staticmethod":
		return StaticMethod{Fun: a.Arg(0)}, !dotted
	case "classmethod":
		return ClassMethod{Fun: a.Arg(0)}, !dotted
	case "object":
		return &Object{Fields: map[string]Value{}}, true
	case "deepcopy":
		return newCopier(nil).copy(a.Arg(0)), true
	case "copy":
		switch x := a.Arg(0).(type) {
		case *Object:
			return cloneObject(x), true
		case *Sequence:
			return &Sequence{Elems: slices.Clone(x.Elems), List: x.List}, true
		case *Mapping:
			return x.Copy(), true
		}
		return a.Arg(0), true
	case "slice":
		return Data{}, true
	}
	return nil, false
}

// onlyComputes reports whether a call is one of a function of Python's own, of constants: what has no model here has one value
// all the same, and is no unknown that a launch may choose.
func (m *machine) onlyComputes(name string, a *Arguments) bool {
	module, _, dotted := strings.Cut(name, ".")
	if dotted && (!standardModules[module] || module == "numpy" || module == "np" || module == "cutlass" || module == "cute") || !dotted && !PythonBuiltins[name] {
		return false
	}
	return !a.Open && !slices.ContainsFunc(a.All(), func(v Value) bool { return !unvarying(v, MaxNesting) })
}

// unvarying reports whether a value is one that is the same for every launch.
func unvarying(v Value, depth int) bool {
	switch v := Untyped(v).(type) {
	case Int, Float, Text, None, *Closure:
		return true
	case RangeValue:
		return depth > 0 && unvarying(v.Lo, depth-1) && unvarying(v.Hi, depth-1) && unvarying(v.Step, depth-1)
	case *Sequence:
		return depth > 0 && !slices.ContainsFunc(v.Elems, func(e Value) bool { return !unvarying(e, depth-1) })
	case *Mapping:
		for _, e := range v.Values {
			if depth == 0 || !unvarying(e, depth-1) {
				return false
			}
		}
		return true
	}
	return false
}

// standardModules are the modules whose functions count by their last word.
var standardModules = Words("builtins object math functools itertools operator collections copy typing dataclasses enum inspect numpy np cutlass cute")

func standard(module, short string, a *Arguments) (Value, bool) {
	switch module {
	case "math", "floor", "ceil", "sqrt", "log2", "gcd", "numpy", "np", "lcm", "isqrt":
		return MathFunction(short, a)
	}
	return nil, false
}

// assert raises where the condition is known to be false. One that run-time values decide is taken to hold.
func (m *machine) assert(a *Arguments, n program.Node) {
	switch c := a.Arg(0).(type) {
	case Symbol:
		if m.launch != nil {
			m.holdsFor(c.Expr, true)
		}
	case Int, None, Text, *Sequence, *Mapping:
		if !m.truth(c, n) {
			if m.launch != nil {
				if m.launch.driver.lenient && m.trying == 0 {
					m.in.assumed[checksPass] = true
					return
				}
			}
			m.in.blamed = wordsOf(n)
			message, _ := a.Arg(1).(Text)
			m.throw(n, "AssertionError", string(message))
		}
	}
}

// cloneObject is a shallow copy.
func cloneObject(o *Object) *Object {
	c := *o
	c.Fields = make(map[string]Value, len(o.Fields))
	for k, v := range o.Fields {
		c.Fields[k] = v
	}
	return &c
}

// PartialCall is functools.partial: a callable with some arguments already given.
type PartialCall struct {
	Fun   Value
	Given *Arguments
}

// With is what the function is given in all, with more arguments.
func (p *PartialCall) With(a *Arguments) *Arguments {
	out := &Arguments{Vals: append(append([]Value{}, p.Given.Vals...), a.Vals...), Open: a.Open || p.Given.Open}
	for i, n := range p.Given.Names {
		out.Set(n, p.Given.Named[i])
	}
	for i, n := range a.Names {
		out.Set(n, a.Named[i])
	}
	return out
}

func (m *machine) length(v Value, n program.Node) Value {
	switch x := v.(type) {
	case *Sequence:
		return Int(len(x.Elems))
	case *Mapping:
		return Int(len(x.Order))
	case Text:
		return Int(len([]rune(string(x))))
	case RangeValue:
		if r, ok := x.Lo.(Int); ok && r == 0 && x.Step == Value(Int(1)) {
			return x.Hi
		}
	case *Class:
		if x.Enum {
			return Int(len(x.Members()))
		}
	case *Object:
		if f := m.dunder(x, "__len__"); f != nil {
			return m.callWith(f, &Arguments{}, n)
		}
		if seq, ok := AsSequence(x); ok {
			return Int(len(seq.Elems))
		}
	case Symbol:
		if UniformSymbol(x) && len(x.Expr.String()) < 200 {
			return Atom("len(" + x.Expr.String() + ")")
		}
	}
	return Data{}
}

// collect makes the built-in collections.
func (m *machine) collect(name string, a *Arguments, n program.Node) (Value, bool) {
	switch name {
	case "tuple", "list", "set", "frozenset", "deque":
		var items []Value
		if len(a.Vals) > 0 {
			var ok bool
			if items, ok = m.iterate(a.Vals[0], n); !ok {
				if s, ok := a.Vals[0].(Symbol); ok {
					return s, true // a shape or coordinate of unknown rank
				}
				return Data{}, true
			}
		}
		if name == "set" || name == "frozenset" {
			if s, ok := NewSet(items); ok {
				s.Frozen = name == "frozenset"
				return s, true
			}
			return Data{}, true
		}
		if name == "deque" && (len(a.Vals) > 1 || len(a.Names) > 0) { // of a largest length
			return Data{}, true
		}
		return &Sequence{Elems: items, List: name != "tuple"}, true
	case "dict", "OrderedDict":
		d := NewMapping()
		m.mappingUpdate(d, a)
		return d, !a.Open
	case "defaultdict":
		return NewMapping(), true
	case "str", "repr":
		if len(a.Vals) == 0 {
			return Text(""), true
		}
		if t, ok := Spelled(m.settle(a.Arg(0))); ok {
			return t, true
		}
		return Data{}, true
	case "hex":
		if n, ok := m.settle(a.Arg(0)).(Int); ok {
			return Text(fmt.Sprintf("%#x", int64(n))), true
		}
		return Text("0x?"), true // digits, whatever they are: nothing else can stand there
	case "divmod":
		if len(a.Vals) == 2 {
			x, y := Numeral(a.Vals[0]), Numeral(a.Vals[1])
			return &Sequence{Elems: []Value{Binary("//", x, y), Binary("%", x, y)}}, true
		}
	case "pow":
		if len(a.Vals) == 2 {
			return Binary("**", Numeral(a.Vals[0]), Numeral(a.Vals[1])), true
		}
		if len(a.Vals) == 3 { // Python multiplies modulo the third
			return Data{}, true
		}
	case "round":
		return Rounded(a), true
	}
	return nil, false
}

// operatorFunction is a function of Python's operator module.
func operatorFunction(name string, a *Arguments) (Value, bool) {
	ops := map[string]string{"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%", "and_": "&", "or_": "|", "xor": "^",
		"lshift": "<<", "rshift": ">>", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=", "truediv": TrueDivision}
	if op, ok := ops[name]; ok && len(a.Vals) == 2 {
		return Binary(op, Numeral(a.Vals[0]), Numeral(a.Vals[1])), true
	}
	return nil, false
}

// builtinName gives the value of names every file can see.
func (m *machine) builtinName(name string) (Value, bool) {
	switch name {
	case "warpSize", "WARP_SIZE":
		return Int(32), true
	case "true", "True":
		return Int(1), true
	case "false", "False":
		return Int(0), true
	}
	if v, ok := m.in.setting(name); ok {
		return v, true
	}
	return nil, false
}
