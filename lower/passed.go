package lower

import (
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// A number that the host passes to a kernel is an argument of the compiled program, unless the parameter is a Constexpr one: whoever
// launches the kernel may pass another. It is an unknown that has the host's value, as the number of threads that a barrier counts may
// be one, and must go with the launch. What only says how often loops go round, or what a branch that synchronizes is taken by, goes
// with any launch: it is given other values, too.
//
// Where CTAs of the grid wait for each other, as many as the grid has must be waited for: there the host's value stays.

// passes makes unknowns of the numbers that the host passes to a kernel.
func (la *launch) passes(names []string, static func(program.Param) bool) {
	params := la.kernel.Params
	if la.self != nil && len(params) > 0 {
		params = params[1:]
	}
	pass := func(p program.Param, v value.Value) value.Value {
		n, ok := value.Untyped(v).(value.Int)
		if !ok || static(p) {
			return v
		}
		name := p.Name
		if slices.Contains(names, name) {
			name = la.kernel.Name + "." + name
		}
		if w, ok := v.(value.Word); ok {
			return value.Word{V: la.pass(name, n), T: w.T}
		}
		return la.pass(name, n)
	}
	for i, p := range params {
		if i < len(la.args) {
			la.args[i] = pass(p, la.args[i])
		} else if v := la.keywords[p.Name]; v != nil {
			la.keywords[p.Name] = pass(p, v)
		}
	}
}

// pass is the unknown that stands for a number that the host passes.
func (la *launch) pass(name string, n value.Int) value.Value {
	if la.passed == nil {
		la.passed = map[string]int64{}
	}
	la.passed[name] = int64(n)
	return value.Atom(name)
}

// compiledIn reports whether the argument of a parameter in Python is a constant of the compiled program.
// unknowns are the names of the host side's unknowns.
func (m *machine) unknowns() []string {
	return slices.AppendSeq(slices.Collect(maps.Keys(m.in.values)), maps.Keys(m.in.dynamic))
}

// free lets an argument that the host passes take other values, from now on.
func (m *machine) free(e *value.Expr) {
	for _, l := range value.Leaves(e, nil) {
		key := l.String()
		if of, ok := m.in.same[key]; ok {
			key = of
		}
		if _, ok := m.in.arguments[key]; !ok || m.in.low.varied[key] || len(m.in.flagBlocks) > 0 {
			continue
		}
		m.in.low.varied[key] = true
		panic(restart{})
	}
}

// fixedArguments are the values of what the host passes and that nothing lets take others.
func (l *lowering) fixedArguments(la *launch, values map[string]int64) map[string]int64 {
	for key, v := range la.passed {
		if !l.varied[key] {
			values[key] = v
		}
	}
	return values
}

// fix puts the values that the host side has for its unknowns in the place of these: the kernel is compiled for them.
func (m *machine) fix(la *launch) {
	m.sameExtents(la)
	c := value.NewCopier(func(s value.Symbol) value.Value { return m.settle(s) })
	la.self = c.Copy(la.self)
	for i, a := range la.args {
		la.args[i] = c.Copy(a)
	}
	for name, a := range la.keywords {
		la.keywords[name] = c.Copy(a)
	}
}

// The tensors of a matrix product share extents: k of A is k of B. Kernels say so in the names of their parameters only,
// mA_mkl and mB_nkl, whose letters are the modes in order. Extents of one letter are taken to be one unknown, and the
// bounds say so: two roles that count the same loop by different tensors agree on its length (notes/cutedsl.md 3.2, R8).

// sameExtents notes which unknown extents of the kernel's tensors are one.
func (m *machine) sameExtents(la *launch) {
	first := map[byte]string{}
	who := map[byte]string{}
	params := la.kernel.Params
	if la.self != nil && len(params) > 0 {
		params = params[1:]
	}
	for i, p := range params {
		v := la.keywords[p.Name]
		if i < len(la.args) {
			v = la.args[i]
		}
		letters := cute.ModesIn(p.Name)
		switch v.(type) {
		case *cute.Tensor, value.Symbol:
		default:
			continue
		}
		for k := range letters {
			s, ok := cute.Part(cute.ShapeOf(v), k).(value.Symbol)
			if !ok || s.Expr.Op != "" || s.Expr.IsConst {
				continue
			}
			_, known := m.in.values[s.Expr.Atom]
			switch of := first[letters[k]]; {
			case known:
			case of == "":
				first[letters[k]], who[letters[k]] = s.Expr.Atom, p.Name
			case of != s.Expr.Atom:
				if la.same == nil {
					la.same = map[string]string{}
				}
				la.same[s.Expr.Atom] = of
				m.in.assumed[string(letters[k])+" of "+who[letters[k]]+" is that of "+p.Name] = inWords
			}
		}
	}
}
