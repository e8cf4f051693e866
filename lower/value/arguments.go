package value

import "github.com/fencepost-dev/fencepost/program"

// Arguments are the evaluated arguments of a call.
type Arguments struct {
	Vals  []Value
	Names []string // keywords, in order
	Named []Value
	Node  program.Node
	// Open is set where *x or **x of an unknown may bring more than is listed here.
	Open bool
}

// Arg is the i-th positional argument, data where there is none.
func (a *Arguments) Arg(i int) Value {
	if i < len(a.Vals) {
		return UntypedAll(a.Vals[i])
	}
	return None{}
}

// Get is an argument by position or keyword; nil where it is not given.
func (a *Arguments) Get(i int, name string) Value {
	for k, n := range a.Names {
		if n == name {
			return UntypedAll(a.Named[k])
		}
	}
	if i >= 0 && i < len(a.Vals) {
		return UntypedAll(a.Vals[i])
	}
	return nil
}

// Or is an argument by position or keyword, or def.
func (a *Arguments) Or(i int, name string, def Value) Value {
	if v := a.Get(i, name); v != nil {
		return v
	}
	return def
}

// All lists every value, positional ones first.
func (a *Arguments) All() []Value {
	if len(a.Named) == 0 {
		return a.Vals
	}
	return append(append([]Value{}, a.Vals...), a.Named...)
}

// Add appends a positional argument.
func (a *Arguments) Add(v Value) {
	a.Vals = append(a.Vals, v)
}

// Set gives an argument by its name.
func (a *Arguments) Set(name string, v Value) {
	for i, n := range a.Names {
		if n == name {
			a.Named[i] = v
			return
		}
	}
	a.Names, a.Named = append(a.Names, name), append(a.Named, v)
}

// PartialCall is functools.partial: a callable with some arguments already given.
type PartialCall struct {
	Fun   Value
	Given *Arguments
	Rest  []string // the parameters that are to be given by position, in order; nil for those behind what is given
}

// Compiled is what compilation makes of a function with some parameters: those that are constants of it are given, and it
// has only the others.
func Compiled(fun Value, params []program.Param, a *Arguments) Value {
	out := &PartialCall{Fun: fun, Given: &Arguments{}, Rest: []string{}}
	for i, p := range params {
		switch v := a.Get(i, p.Name); {
		case p.Star > 0 || a.Open:
			return fun
		case !p.CompiledIn():
			out.Rest = append(out.Rest, p.Name)
		case v != nil:
			out.Given.Set(p.Name, v)
		}
	}
	if len(out.Given.Names) == 0 {
		return fun
	}
	return out
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
	if p.Rest == nil {
		return out
	}
	for i, v := range a.Vals {
		if i >= len(p.Rest) {
			out.Open = true
			break
		}
		out.Set(p.Rest[i], v)
	}
	out.Vals = nil
	return out
}

// OperatorFunction is a function of Python's operator module.
func OperatorFunction(name string, a *Arguments) (Value, bool) {
	if op, ok := operatorFunctions[name]; ok && len(a.Vals) == 2 {
		return Binary(op, Numeral(a.Vals[0]), Numeral(a.Vals[1])), true
	}
	return nil, false
}

var operatorFunctions = map[string]string{"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%", "and_": "&", "or_": "|", "xor": "^",
	"lshift": "<<", "rshift": ">>", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=", "truediv": TrueDivision}
