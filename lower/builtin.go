package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/provenance"
	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// library evaluates a function the file does not define.
func (m *machine) library(name string, a *value.Arguments, n program.Node) value.Value {
	short := name
	if i := strings.LastIndexAny(short, ".:"); i >= 0 {
		short = short[i+1:]
	}
	m.calls(name)
	if m.host && short == "compile" && len(a.Vals) > 0 {
		return m.compile(a, n)
	}
	if m.launch != nil && strings.HasPrefix(name, "math.") {
		a = &value.Arguments{Vals: m.concrete(&value.Sequence{Elems: a.Vals}).(*value.Sequence).Elems, Names: a.Names, Named: a.Named}
	}
	if v, ok := value.VectorFunction(name, short, a); ok {
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
		if short == "inttoptr" && cute.InTensorMemory(a.Get(1, "space")) {
			return m.addressedColumns(args[0], value.FirstOf(a.Get(2, "dtype"), value.Data{}))
		}
		for _, v := range args { // a type may stand first
			if p, ok := v.(value.Pointer); ok {
				if d := value.FirstOf(a.Get(-1, "dtype"), value.First(args)); value.BitsOf(d) > 0 {
					p = p.OfType(d)
				}
				return p.Shaped(m.settleAll(value.FirstOf(a.Get(-1, "shape"), value.None{})))
			}
		}
	case dialect.Converges:
		if m.host {
			break
		}
		if mask, known := value.ExchangeMask(short, a); known && mask == fullWarp {
			m.exchanged(short, a, n)
		} else if known {
			m.exchangeAmong(mask, n)
		}
		if short == "shuffle_sync" && len(args) == 2 {
			return m.hear(args[0], args[1], n)
		}
		return value.Heard(short, value.First(args))
	}
	if adds(name, short, args) && !m.host {
		return m.counts(append([]value.Value{a.Get(-1, "ptr")}, a.Vals...), n)
	}
	m.handOver(effect, name, args, n)
	if space := value.LastWord(value.Canonical(a.Or(2, "mem_space", value.None{}))); short == "make_ptr" && (space == "smem" || space == "generic" || space == "None") {
		m.strays(n, value.Path(name), true) // of a number that is not followed
	}
	// A function of another file may look at the thread index: what a library of the DSL computes on the host side is one unknown for all threads.
	if value.UniformSymbol(&value.Sequence{Elems: args}) && len(name) < 200 && (m.host || value.LibraryPath(name)) {
		made := value.Atom(name + cute.CanonicalArgs(args))
		if short == "make_ptr" && value.BitsOf(value.First(args)) > 0 {
			m.in.types[made.Expr.Atom] = value.First(args)
		}
		return made
	}
	return value.Data{}
}

// unevaluated reports whether nothing but the accesses in a call's arguments is of concern: what is printed or asserted at run time.
func unevaluated(name string) bool {
	switch name {
	case "print", "printf", "static_assert":
		return true
	}
	return false
}

// builtin evaluates the built-in functions, number types and standard modules of the languages.
func (m *machine) builtin(name, short string, a *value.Arguments, n program.Node) (v value.Value, ok bool) {
	if v, ok := m.numeric(short, a, n); ok {
		return v, true
	}
	if v, ok := value.SameKind(name, a); ok {
		return v, true
	}
	if name == "os.getenv" || name == "os.environ.get" {
		m.in.assumed["no environment variable is set"] = inWords
		return a.Or(1, "default", value.None{}), true
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
				v, ok = value.Data{}, true
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
	if v, ok := value.OperatorFunction(short, a); ok && (module == "operator" || !dotted) {
		return v, true
	}
	if _, ok := value.ExceptionBases[short]; ok {
		return &value.Exception{Name: short, Args: a.Vals}, true
	}
	switch short {
	case "partial":
		if len(a.Vals) > 0 {
			return &value.PartialCall{Fun: a.Vals[0], Given: &value.Arguments{Vals: a.Vals[1:], Names: a.Names, Named: a.Named, Open: a.Open}}, true
		}
	case "wraps", "lru_cache", "cache", "update_wrapper", "contextmanager", "total_ordering", "singledispatch":
		return value.Path(name + cute.CanonicalArgs(nil)), true // a decorator that changes nothing that is modelled
	case "assert":
		m.in.low.asserted(n)
		m.assert(a, n)
		return value.None{}, true
	case "auto":
		return value.AutoValue{}, module == "enum" || !dotted
	case "__setattr__": // object.__setattr__(x, name, v), what frozen dataclasses use
		if attr, ok := a.Arg(1).(value.Text); ok {
			m.setAttribute(a.Arg(0), string(attr), a.Arg(2), n)
		}
		return value.None{}, module == "object"
	case "__new__":
		if c, ok := a.Arg(0).(*value.Class); ok && module == "object" {
			return &value.Object{Class: c, Fields: map[string]value.Value{}}, true
		}
	case "staticmethod":
		return value.StaticMethod{Fun: a.Arg(0)}, !dotted
	case "classmethod":
		return value.ClassMethod{Fun: a.Arg(0)}, !dotted
	case "object":
		return &value.Object{Fields: map[string]value.Value{}}, true
	case "deepcopy":
		return value.NewCopier(nil).Copy(a.Arg(0)), true
	case "copy":
		switch x := a.Arg(0).(type) {
		case *value.Object:
			return value.CloneObject(x), true
		case *value.Sequence:
			return &value.Sequence{Elems: slices.Clone(x.Elems), List: x.List}, true
		case *value.Mapping:
			return x.Copy(), true
		}
		return a.Arg(0), true
	case "slice":
		return value.Data{}, true
	}
	return nil, false
}

// onlyComputes reports whether a call is one of a function of Python's own, of constants: what has no model here has one value
// all the same, and is no unknown that a launch may choose.
func (m *machine) onlyComputes(name string, a *value.Arguments) bool {
	module, _, dotted := strings.Cut(name, ".")
	if dotted && (!standardModules[module] || module == "numpy" || module == "np" || module == "cutlass" || module == "cute") || !dotted && !value.PythonBuiltins[name] {
		return false
	}
	return !a.Open && !slices.ContainsFunc(a.All(), func(v value.Value) bool { return !provenance.Unvarying(v, value.MaxNesting) })
}

// standardModules are the modules whose functions count by their last word.
var standardModules = value.Words("builtins object math functools itertools operator collections copy typing dataclasses enum inspect numpy np cutlass cute")

func standard(module, short string, a *value.Arguments) (value.Value, bool) {
	switch module {
	case "math", "floor", "ceil", "sqrt", "log2", "gcd", "numpy", "np", "lcm", "isqrt":
		return value.MathFunction(short, a)
	}
	return nil, false
}

// assert raises where the condition is known to be false. One that run-time values decide is taken to hold.
func (m *machine) assert(a *value.Arguments, n program.Node) {
	switch c := a.Arg(0).(type) {
	case value.Symbol:
		if m.launch != nil {
			m.holdsFor(c.Expr, true)
		}
	case value.Int, value.None, value.Text, *value.Sequence, *value.Mapping:
		if !m.truth(c, n) {
			if m.launch != nil {
				if m.launch.driver.lenient && m.trying == 0 {
					m.in.assumed[checksPass] = inWords
					return
				}
			}
			m.in.blamed = syntax.Mentions(nil).Of(n)
			message, _ := a.Arg(1).(value.Text)
			m.throw(n, "AssertionError", string(message))
		}
	}
}

func (m *machine) length(v value.Value, n program.Node) value.Value {
	switch x := v.(type) {
	case *value.Sequence:
		return value.Int(len(x.Elems))
	case *value.Mapping:
		return value.Int(len(x.Order))
	case value.Text:
		return value.Int(len([]rune(string(x))))
	case value.RangeValue:
		if r, ok := x.Lo.(value.Int); ok && r == 0 && x.Step == value.Value(value.Int(1)) {
			return x.Hi
		}
	case *value.Class:
		if x.Enum {
			return value.Int(len(x.Members()))
		}
	case *value.Object:
		if f := m.dunder(x, "__len__"); f != nil {
			return m.callWith(f, &value.Arguments{}, n)
		}
		if seq, ok := value.AsSequence(x); ok {
			return value.Int(len(seq.Elems))
		}
	case value.Symbol:
		if value.UniformSymbol(x) && len(x.Expr.String()) < 200 {
			return value.Atom("len(" + x.Expr.String() + ")")
		}
	}
	return value.Data{}
}

// collect makes the built-in collections.
func (m *machine) collect(name string, a *value.Arguments, n program.Node) (value.Value, bool) {
	switch name {
	case "tuple", "list", "set", "frozenset", "deque":
		var items []value.Value
		if len(a.Vals) > 0 {
			var ok bool
			if items, ok = m.iterate(a.Vals[0], n); !ok {
				if s, ok := a.Vals[0].(value.Symbol); ok {
					return s, true // a shape or coordinate of unknown rank
				}
				return value.Data{}, true
			}
		}
		if name == "set" || name == "frozenset" {
			if s, ok := value.NewSet(items); ok {
				s.Frozen = name == "frozenset"
				return s, true
			}
			return value.Data{}, true
		}
		if name == "deque" && (len(a.Vals) > 1 || len(a.Names) > 0) { // of a largest length
			return value.Data{}, true
		}
		return &value.Sequence{Elems: items, List: name != "tuple"}, true
	case "dict", "OrderedDict":
		d := value.NewMapping()
		m.mappingUpdate(d, a)
		return d, !a.Open
	case "defaultdict":
		return value.NewMapping(), true
	case "str", "repr":
		if len(a.Vals) == 0 {
			return value.Text(""), true
		}
		if t, ok := value.Spelled(m.settle(a.Arg(0))); ok {
			return t, true
		}
		return value.Data{}, true
	case "hex":
		if n, ok := m.settle(a.Arg(0)).(value.Int); ok {
			return value.Text(fmt.Sprintf("%#x", int64(n))), true
		}
		return value.Text("0x?"), true // digits, whatever they are: nothing else can stand there
	case "divmod":
		if len(a.Vals) == 2 {
			x, y := value.Numeral(a.Vals[0]), value.Numeral(a.Vals[1])
			return &value.Sequence{Elems: []value.Value{value.Binary("//", x, y), value.Binary("%", x, y)}}, true
		}
	case "pow":
		if len(a.Vals) == 2 {
			return value.Binary("**", value.Numeral(a.Vals[0]), value.Numeral(a.Vals[1])), true
		}
		if len(a.Vals) == 3 { // Python multiplies modulo the third
			return value.Data{}, true
		}
	case "round":
		return value.Rounded(a), true
	}
	return nil, false
}

// builtinName gives the value of names every file can see.
func (m *machine) builtinName(name string) (value.Value, bool) {
	switch name {
	case "warpSize", "WARP_SIZE":
		return value.Int(32), true
	case "true", "True":
		return value.Int(1), true
	case "false", "False":
		return value.Int(0), true
	}
	if v, ok := m.in.setting(name); ok {
		return v, true
	}
	return nil, false
}
