package lower

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// ofType is an unknown of an annotated type.
func (m *machine) ofType(name, typ string) value.Value {
	head, args := syntax.Annotation(typ)
	if n := tupleOf[name[strings.LastIndex(name, "_")+1:]]; n > 0 && typ == "" {
		head, args = "tuple", slices.Repeat([]string{"int"}, n)
	}
	switch {
	case strings.Contains(typ, "| None") && !strings.Contains(typ, "Tensor"), head == "Optional" && !strings.Contains(typ, "Tensor"):
		m.in.assumed[name+" = None"] = inWords
		return value.None{}
	case head == "Type" || head == "type" || typ == "" && strings.Contains(strings.ToLower(name), "dtype"):
		return m.someType(name)
	case (head == "Tuple" || head == "tuple") && len(args) > 0 && len(args) <= 8 && args[len(args)-1] != "...":
		out := &value.Sequence{}
		for i, a := range args {
			out.Elems = append(out.Elems, m.ofType(fmt.Sprintf("%s[%d]", name, i), a))
		}
		return out
	}
	if cute.TileExtent(name) {
		extent := value.Atom(name) // an unknown, so that the host's checks can choose another size
		m.assume(extent.Expr, false)
		return extent
	}
	switch c := m.annotated(typ); {
	case c == nil || len(name) >= 200:
	case c.Enum && len(c.Members()) > 0:
		return m.someMember(name, c)
	case isRecord(c):
		m.in.assumed[name+" = "+c.Decl.Name+" with its defaults"] = madeUp
		return m.recordOf(name, c)
	}
	return value.Atom(name)
}

// annotated is the class that an annotation means in the running module: C, or C of an imported module.
func (m *machine) annotated(typ string) *value.Class {
	spelled, _, _ := strings.Cut(syntax.FirstOfUnion(typ), "[")
	names := strings.Split(strings.Trim(spelled, ` "'`), ".")
	l, ok := m.globals.Lookup(names[0])
	if !ok {
		return nil
	}
	v := l.Get()
	for _, name := range names[1:] {
		ref, ok := v.(value.ModuleRef)
		if !ok {
			return nil
		}
		if v, ok = m.in.low.global(ref.Mod, name); !ok {
			return nil
		}
	}
	if c, ok := v.(*value.Class); ok {
		return c
	}
	return nil
}

// What ends the assumption that a record of options which nobody gives has the declared defaults, and that a member of an
// enumeration which nobody gives is the first.
const ()

// isRecord reports whether a class is a dataclass or named tuple that its fields make.
func isRecord(c *value.Class) bool {
	_, _, own := c.Find("__init__")
	return c.Dataclass && !c.Enum && !own
}

// recordOf is an object that only carries fields, and that nobody gives: each field is its default or an unknown.
func (m *machine) recordOf(name string, c *value.Class) value.Value {
	if m.depth++; m.depth > maxDepth {
		return value.Atom(name)
	}
	defer func() { m.depth-- }()
	defer m.enter(c.Mod)()
	a := &value.Arguments{}
	for _, f := range c.AllFields() {
		key := name + "." + f.Name
		switch {
		case f.Def == nil || syntax.Unset(f.Def, f.At.Type):
			a.Set(f.Name, m.ofType(key, f.At.Type))
		case m.launch == nil:
		case m.launch.config.find(key) != nil:
			a.Set(f.Name, m.taken(*m.launch.config.find(key)))
		default:
			m.offerMembers(key, f.Name, f.Def)
		}
	}
	return m.instance(c, a, program.Place{Span: c.Decl.Span})
}

// tupleOf is the length of a tuple by the last word of its name, as the DSL's programs call the extents of tiles and
// clusters.
var tupleOf = map[string]int{"mn": 2, "mk": 2, "nk": 2, "mnk": 3, "mnl": 3, "mkl": 3, "nkl": 3, "mnkl": 4, "vmnk": 4}

// operandTypes are the number types tried for the operands of a kernel, in this order.
var operandTypes = []string{"Float16", "BFloat16", "Float8E4M3FN", "Float4E2M1FN", "Float32"}

// typeHint is the hint that says which of operandTypes is tried.
const typeHint = "the type of operands"

// typeOfHint is the hint that says which of operandTypes one unknown is.
func typeOfHint(name string) string { return "type of " + name }

// someType is a number type that nobody gives: accumulators are Float32, scale factors Float8E8M0FNU, operands what the
// host's checks accept.
func (m *machine) someType(name string) value.Value {
	i, own := m.in.hints[typeOfHint(name)]
	if !own {
		i = m.in.hints[typeHint]
	}
	typ := operandTypes[i]
	switch {
	case own:
	case strings.Contains(name, "acc"):
		typ = "Float32"
	case strings.HasPrefix(name, "sf") || strings.Contains(name, "scale"):
		typ = "Float8E8M0FNU"
	}
	m.in.typed[name] = true
	m.in.assumed[name+" = "+typ] = inWords
	return value.Path("cutlass." + typ)
}

// otherKinds says what to try next after an error, if anything is left: another target, an unknown in place of a declared
// default, other types, of what the failed check speaks of; or other types of all.
func (g *guesses) otherKinds(m *machine) bool {
	if m.launch.driver.lenient || g.repairs >= maxAgain {
		return false
	}
	if g.otherTarget(m) {
		return true
	}
	repeat := false
	for name := range m.in.given {
		if m.in.blamed[name] && !g.loose[name] {
			g.loose[name], repeat = true, true
		}
	}
	if repeat {
		return true
	}
	for _, name := range slices.Sorted(maps.Keys(m.in.typed)) {
		key := typeOfHint(name)
		i, started := g.hints[key]
		if started {
			i++
		}
		if m.in.blamed[value.LastWord(name)] && (root(name) == name || m.in.blamed[root(name)]) && int(i) < len(operandTypes) {
			g.hints[key], repeat = i, true
		}
	}
	if n := g.hints[typeHint] + 1; !repeat && len(m.in.typed) > 0 && int(n) < len(operandTypes) {
		g.hints[typeHint], repeat = n, true
	}
	return repeat
}

// targets are the GPUs a kernel may be compiled for, tried in this order until the host's checks accept one. Nothing in
// a file says which it is.
var targets = []string{"sm_100a", "sm_90a", "sm_120a", "sm_80"}

// targetHint is the hint that says which of targets it is.
const targetHint = "the target"

// target is the name of the target.
func (m *machine) target() value.Value {
	name := targets[m.in.hints[targetHint]]
	m.in.asked = true
	m.in.assumed["the target is "+name] = inWords
	return value.Text(name)
}

// otherTarget says which target to try next where the check that failed speaks of it, if one is left.
func (g *guesses) otherTarget(m *machine) bool {
	n := m.in.hints[targetHint] + 1
	if !m.in.asked || int(n) >= len(targets) {
		return false
	}
	for w := range m.in.blamed {
		if words := strings.Split(strings.ToLower(w), "_"); slices.Contains(words, "arch") || words[0] == "sm" {
			g.hints[targetHint] = n
			return true
		}
	}
	return false
}
