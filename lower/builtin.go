package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// library evaluates a function the file does not define.
func (m *machine) library(name string, a *arguments, n program.Node) value {
	short := name
	if i := strings.LastIndexAny(short, ".:"); i >= 0 {
		short = short[i+1:]
	}
	m.calls(name)
	if m.host && short == "compile" && len(a.vals) > 0 {
		return m.compile(a, n)
	}
	if m.launch != nil && strings.HasPrefix(name, "math.") {
		a = &arguments{vals: m.concrete(&sequence{elems: a.vals}).(*sequence).elems, names: a.names, named: a.named}
	}
	if v, ok := vectorFunction(name, short, a); ok {
		return v
	}
	if v, ok := m.cute(name, short, a, n); ok {
		return v
	}
	if v, ok := m.builtin(name, short, a, n); ok {
		return v
	}
	args := a.all()
	if m.mod.library && strings.HasPrefix(name, intrinsics) {
		return m.intrinsic(name, args, n)
	}
	effect := m.effect(name)
	switch effect {
	case dialect.Readdresses:
		for _, v := range args { // a type may stand first
			if p, ok := v.(pointer); ok {
				if d := first(args); bitsOf(d) > 0 {
					return p.ofType(d)
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
		return heard(short, first(args))
	}
	if adds(name, short, args) && !m.host {
		return m.ticket(n)
	}
	m.handOver(effect, name, args, n)
	// A function of another file may look at the thread index: what a library of the DSL computes on the host side is one unknown for all threads.
	if uniformSymbol(&sequence{elems: args}) && len(name) < 200 && (m.host || libraryPath(name)) {
		made := atom(name + canonicalArgs(args))
		if short == "make_ptr" && bitsOf(first(args)) > 0 {
			m.in.types[made.expr.atom] = first(args)
		}
		return made
	}
	return data{}
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
func fullMask(short string, args []value) bool {
	mask := first(args)
	if short != "shfl_sync" {
		if short != "redux_sync" || len(args) < 3 {
			return true
		}
		mask = args[2]
	}
	n, ok := whole(mask).(integer)
	return ok && (n == -1 || n == 1<<32-1)
}

// first is the first of some values, nil where there is none.
func first(args []value) value {
	if len(args) == 0 {
		return nil
	}
	return args[0]
}

// builtin evaluates the built-in functions, number types and standard modules of the languages.
func (m *machine) builtin(name, short string, a *arguments, n program.Node) (v value, ok bool) {
	if v, ok := m.numeric(short, a, n); ok {
		return v, true
	}
	if v, ok := sameKind(name, a); ok {
		return v, true
	}
	if name == "os.getenv" || name == "os.environ.get" {
		m.in.assumed["no environment variable is set"] = true
		return a.or(1, "default", none{}), true
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
				v, ok = data{}, true
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
	if _, ok := exceptionBases[short]; ok {
		return &exception{short, a.vals}, true
	}
	switch short {
	case "partial":
		if len(a.vals) > 0 {
			return &partial{a.vals[0], &arguments{vals: a.vals[1:], names: a.names, named: a.named, open: a.open}}, true
		}
	case "wraps", "lru_cache", "cache", "update_wrapper", "contextmanager", "total_ordering", "singledispatch":
		return path(name + canonicalArgs(nil)), true // a decorator that changes nothing that is modelled
	case "assert":
		m.assert(a, n)
		return none{}, true
	case "auto":
		return autoValue{}, module == "enum" || !dotted
	case "__setattr__": // object.__setattr__(x, name, v), what frozen dataclasses use
		if attr, ok := a.arg(1).(text); ok {
			m.setAttribute(a.arg(0), string(attr), a.arg(2), n)
		}
		return none{}, module == "object"
	case "__new__":
		if c, ok := a.arg(0).(*class); ok && module == "object" {
			return &object{class: c, fields: map[string]value{}}, true
		}
	case "staticmethod":
		return staticMethod{a.arg(0)}, !dotted
	case "classmethod":
		return classMethod{a.arg(0)}, !dotted
	case "object":
		return &object{fields: map[string]value{}}, true
	case "deepcopy":
		return newCopier(nil).copy(a.arg(0)), true
	case "copy":
		switch x := a.arg(0).(type) {
		case *object:
			return cloneObject(x), true
		case *sequence:
			return &sequence{elems: slices.Clone(x.elems), list: x.list}, true
		case *mapping:
			return x.copy(), true
		}
		return a.arg(0), true
	case "slice":
		return data{}, true
	}
	return nil, false
}

// onlyComputes reports whether a call is one of a function of Python's own, of constants: what has no model here has one value
// all the same, and is no unknown that a launch may choose.
func (m *machine) onlyComputes(name string, a *arguments) bool {
	module, _, dotted := strings.Cut(name, ".")
	if dotted && (!standardModules[module] || module == "numpy" || module == "np" || module == "cutlass" || module == "cute") || !dotted && !pythonBuiltins[name] {
		return false
	}
	return !a.open && !slices.ContainsFunc(a.all(), func(v value) bool { return !unvarying(v, maxNesting) })
}

// unvarying reports whether a value is one that is the same for every launch.
func unvarying(v value, depth int) bool {
	switch v := untyped(v).(type) {
	case integer, float, text, none, *closure:
		return true
	case rangeValue:
		return depth > 0 && unvarying(v.lo, depth-1) && unvarying(v.hi, depth-1) && unvarying(v.step, depth-1)
	case *sequence:
		return depth > 0 && !slices.ContainsFunc(v.elems, func(e value) bool { return !unvarying(e, depth-1) })
	case *mapping:
		for _, e := range v.values {
			if depth == 0 || !unvarying(e, depth-1) {
				return false
			}
		}
		return true
	}
	return false
}

// standardModules are the modules whose functions count by their last word.
var standardModules = words("builtins object math functools itertools operator collections copy typing dataclasses enum inspect numpy np cutlass cute")

func standard(module, short string, a *arguments) (value, bool) {
	switch module {
	case "math", "floor", "ceil", "sqrt", "log2", "gcd", "numpy", "np", "lcm", "isqrt":
		return mathFunction(short, a)
	}
	return nil, false
}

// assert raises where the condition is known to be false. One that run-time values decide is taken to hold.
func (m *machine) assert(a *arguments, n program.Node) {
	switch c := a.arg(0).(type) {
	case symbol:
		if m.launch != nil {
			m.holdsFor(c.expr, true)
		}
	case integer, none, text, *sequence, *mapping:
		if !m.truth(c, n) {
			if m.launch != nil {
				if m.launch.driver.lenient && m.trying == 0 {
					m.in.assumed[checksPass] = true
					return
				}
			}
			m.in.blamed = wordsOf(n)
			message, _ := a.arg(1).(text)
			m.throw(n, "AssertionError", string(message))
		}
	}
}

// cloneObject is a shallow copy.
func cloneObject(o *object) *object {
	c := *o
	c.fields = make(map[string]value, len(o.fields))
	for k, v := range o.fields {
		c.fields[k] = v
	}
	return &c
}

// partial is functools.partial: a callable with some arguments already given.
type partial struct {
	fun   value
	given *arguments
}

// with is what the function is given in all, with more arguments.
func (p *partial) with(a *arguments) *arguments {
	out := &arguments{vals: append(append([]value{}, p.given.vals...), a.vals...), open: a.open || p.given.open}
	for i, n := range p.given.names {
		out.set(n, p.given.named[i])
	}
	for i, n := range a.names {
		out.set(n, a.named[i])
	}
	return out
}

func (m *machine) length(v value, n program.Node) value {
	switch x := v.(type) {
	case *sequence:
		return integer(len(x.elems))
	case *mapping:
		return integer(len(x.order))
	case text:
		return integer(len([]rune(string(x))))
	case rangeValue:
		if r, ok := x.lo.(integer); ok && r == 0 && x.step == value(integer(1)) {
			return x.hi
		}
	case *class:
		if x.enum {
			return integer(len(x.members()))
		}
	case *object:
		if f := m.dunder(x, "__len__"); f != nil {
			return m.callWith(f, &arguments{}, n)
		}
		if seq, ok := asSequence(x); ok {
			return integer(len(seq.elems))
		}
	case symbol:
		if uniformSymbol(x) && len(x.expr.String()) < 200 {
			return atom("len(" + x.expr.String() + ")")
		}
	}
	return data{}
}

// collect makes the built-in collections.
func (m *machine) collect(name string, a *arguments, n program.Node) (value, bool) {
	switch name {
	case "tuple", "list", "set", "frozenset", "deque":
		var items []value
		if len(a.vals) > 0 {
			var ok bool
			if items, ok = m.iterate(a.vals[0], n); !ok {
				if s, ok := a.vals[0].(symbol); ok {
					return s, true // a shape or coordinate of unknown rank
				}
				return data{}, true
			}
		}
		if name == "set" || name == "frozenset" {
			if s, ok := newSet(items); ok {
				s.frozen = name == "frozenset"
				return s, true
			}
			return data{}, true
		}
		if name == "deque" && (len(a.vals) > 1 || len(a.names) > 0) { // of a largest length
			return data{}, true
		}
		return &sequence{elems: items, list: name != "tuple"}, true
	case "dict", "OrderedDict":
		d := newMapping()
		m.mappingUpdate(d, a)
		return d, !a.open
	case "defaultdict":
		return newMapping(), true
	case "str", "repr":
		if len(a.vals) == 0 {
			return text(""), true
		}
		if t, ok := spelled(m.settle(a.arg(0))); ok {
			return t, true
		}
		return data{}, true
	case "hex":
		if n, ok := m.settle(a.arg(0)).(integer); ok {
			return text(fmt.Sprintf("%#x", int64(n))), true
		}
		return text("0x?"), true // digits, whatever they are: nothing else can stand there
	case "divmod":
		if len(a.vals) == 2 {
			x, y := numeral(a.vals[0]), numeral(a.vals[1])
			return &sequence{elems: []value{binary("//", x, y), binary("%", x, y)}}, true
		}
	case "pow":
		if len(a.vals) == 2 {
			return binary("**", numeral(a.vals[0]), numeral(a.vals[1])), true
		}
		if len(a.vals) == 3 { // Python multiplies modulo the third
			return data{}, true
		}
	case "round":
		return rounded(a), true
	}
	return nil, false
}

// operatorFunction is a function of Python's operator module.
func operatorFunction(name string, a *arguments) (value, bool) {
	ops := map[string]string{"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%", "and_": "&", "or_": "|", "xor": "^",
		"lshift": "<<", "rshift": ">>", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=", "truediv": trueDivision}
	if op, ok := ops[name]; ok && len(a.vals) == 2 {
		return binary(op, numeral(a.vals[0]), numeral(a.vals[1])), true
	}
	return nil, false
}

// builtinName gives the value of names every file can see.
func (m *machine) builtinName(name string) (value, bool) {
	switch name {
	case "warpSize", "WARP_SIZE":
		return integer(32), true
	case "true", "True":
		return integer(1), true
	case "false", "False":
		return integer(0), true
	}
	if v, ok := m.in.setting(name); ok {
		return v, true
	}
	return nil, false
}
