package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/provenance"
	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// The DSL traces the body of a loop once, and both arms of an if, and makes loop-carried values of what it sees the body
// assign: names, bases of elements and attributes, objects whose methods are called (notes/cutedsl.md 2). A list or
// an object that the body changes in any other way, through a helper, another name or a global, is changed once, while
// the kernel is traced, and is a constant in every round. Here loops go round one round after another, so such a change is not
// evaluated as it is traced: it is noted, and nothing holds of the kernel.

// region is a loop or an if that is staged, and the scope it stands in.
type region struct {
	at      program.Stmt
	s       *value.Scope
	globals *value.Scope
	line    int
	depth   int // of the call that it stands in
	carried map[string]bool
	bound   map[string]bool // names that are assigned as a whole, and may stand for something new
}

// stage notes that a statement is executed that the DSL traces as a whole, until leave.
func (m *machine) stage(st program.Stmt, s *value.Scope) (leave func()) {
	if m.host || m.mod.Library || !m.in.low.staged(m.mod, st) {
		return func() {}
	}
	n := len(m.regions)
	r := region{at: st, s: s, globals: m.globals, depth: m.depth, line: m.file.Source.Position(st.Where().Start).Line}
	m.regions = append(m.regions, r)
	return func() { m.regions = m.regions[:n] }
}

// staged reports whether a statement is a run-time loop or if of a function that is traced. In others it is plain Python.
func (l *lowering) staged(mod *value.Module, st program.Stmt) bool {
	switch st := st.(type) {
	case *program.For:
		c, ok := st.Iter.(*program.Call)
		if name := value.LastName(st.Iter); !ok || name != "range" && name != "range_dynamic" || len(c.Args) == 0 {
			return false
		}
	case *program.While:
		if value.LastName(st.Cond) == "const_expr" {
			return false
		}
	case *program.If:
		if st.Const {
			return false
		}
	}
	if l.traced[mod.File] == nil {
		of := map[program.Stmt]bool{}
		for _, fn := range mod.File.Functions {
			if syntax.Traced(fn) {
				program.WalkStmts(fn.Body, func(st program.Stmt) bool {
					of[st] = true
					return true
				})
			}
		}
		l.traced[mod.File] = of
	}
	return l.traced[mod.File][st]
}

// carries fills in which names a region carries from round to round.
func (r *region) carries() {
	if r.carried == nil {
		r.carried, r.bound = syntax.Carried(r.at)
	}
}

// altered notes a change of a list, a dictionary or an object: of how many things are in it, or of what one of them is.
func (m *machine) altered(x any, size bool, n program.Node) {
	last := len(m.regions) - 1
	o, _ := x.(*value.Object)
	if last < 0 || m.mod.Library && (o == nil || m.regions[last].depth == 0 || m.kept[m.regions[last].depth][o] != nil) {
		return
	}
	own := 0 // the depth of the call that has it for itself
	for i := last; i >= 0 && m.regions[i].depth >= own; i-- {
		r := &m.regions[i]
		r.carries()
		what := ""
		switch names := r.holding(x); {
		case len(names) == 0: // made in it
		case !slices.ContainsFunc(names, func(name string) bool { return r.carried[name] }):
			what = "this is changed once, while what begins at line %d is traced, and is a constant when the kernel runs"
		case size && !slices.ContainsFunc(names, func(name string) bool { return r.bound[name] }):
			what = "this changes how many things are in what the run-time loop or if at line %d carries, which the DSL refuses"
		case o != nil:
			own = r.depth
			m.keep(o, own)
		}
		if what != "" && !m.mod.Library && m.watch == nil {
			m.noteOpaque(n.Where(), limit.Undefined.Sayf(what, r.line), true)
			return
		}
	}
}

// holding lists the names in the scope of a region that something can be reached by. A name of the module is not carried.
func (r *region) holding(x any) []string {
	var out []string
	seen := map[any]bool{}
	for s := r.s; s != nil; s = s.Parent {
		for name, l := range s.Vars {
			clear(seen)
			if provenance.Reaches(l.Get(), x, seen) {
				if s == r.globals {
					name = "global " + name
				}
				out = append(out, name)
			}
		}
	}
	return out
}

// replaces notes that one thing in a list, a dictionary or an object becomes another. What data are, nothing here asks.
func (m *machine) replaces(x any, old, now value.Value, n program.Node) {
	if len(m.regions) == 0 || value.IsData(old) && value.IsData(now) || old != nil && value.Canonical(old) == value.Canonical(now) {
		return
	}
	m.altered(x, false, n)
}

// altering runs a method of a list or a dictionary, and notes what it changes.
func (m *machine) altering(x value.Value, n program.Node, method func() value.Value) value.Value {
	if len(m.regions) == 0 {
		return method()
	}
	before, size := value.Canonical(x), value.LengthOf(x)
	v := method()
	if now := value.LengthOf(x); now != size || value.Canonical(x) != before {
		m.altered(x, now != size, n)
	}
	return v
}
