package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// Variables of static storage duration are global memory (CUDA C++ Programming Guide, __device__): those of namespaces, and static
// ones of functions, that are neither constants nor in another space. All CTAs have the same, and what they hold when a kernel
// begins is what the host or another kernel left there.

// variable reports whether a statement declares one, and its name.
func (m *machine) variable(st program.Stmt) (*program.Name, bool) {
	a, ok := st.(*program.Assign)

	return nil, false

}

// fileVariables binds the variables of the file, each by its name and by all that qualify it. One that has an initialiser and that
// nothing in the file changes keeps it.
func (m *machine) fileVariables() {
	var changed map[string]bool
	for _, st := range m.file.Body {
		id, ok := m.variable(st)
		if !ok {
			continue
		}
		if changed == nil {
			changed = changedNames(m.file)
		}
		a := st.(*program.Assign)
		if a.Value != nil && !changed[id.Ident] {
			continue
		}
		name := "::" + fullName(a.Scope, id.Ident)
		l := m.globalVariable(name, a, m.globals)
		if m.mod.constants.scopes[id.Ident] > 1 {
			m.in.untracked(name, "one of several variables of this name")
		}
		for m.globals.vars[name] = l; ; {
			_, rest, qualified := strings.Cut(name, "::")
			if !qualified {
				break
			}
			name = rest
			m.globals.vars[name] = l
		}
	}
}

// globalVariable is the memory of a variable.
func (m *machine) globalVariable(name string, st *program.Assign, s *scope) location {
	b := m.in.global(name)
	b.size = sizes[plainType(st.Type)]
	var dims []int64
	for _, d := range st.Dims {
		n, _ := m.settle(m.eval(d, s)).(integer)
		dims = append(dims, int64(n))
	}
	p := pointer{block: b, offset: integer(0), dims: dims}
	if len(dims) == 0 {
		return memoryPlace{m, p}
	}
	return &cell{v: p}
}

// changedNames are the variables that a function of a file may change: assigned ones, and those whose address, or a reference to
// which, may be taken.
func changedNames(f *program.File) map[string]bool {
	out := map[string]bool{}
	note := func(e program.Expr) {
		for e != nil {
			switch x := e.(type) {
			case *program.Name:
				_, last, _ := cutLast(x.Ident)
				out[last] = true
				return
			case *program.Index:
				e = x.X
			case *program.Attr:
				e = x.X
			case *program.Unary:
				e = x.X
			case *program.Cast:
				e = x.X
			case *program.Binary:
				e = x.X
			default:
				return
			}
		}
	}
	for _, fn := range f.Functions {
		program.Walk(&program.Block{Body: fn.Body}, func(n program.Node) bool {
			switch n := n.(type) {
			case *program.Assign:
				if !n.Decl {
					for _, t := range n.Targets {
						note(t)
					}
				}
				if _, element := n.Value.(*program.Index); !element || reference(n.Type) {
					note(n.Value)
				}
			case *program.AssignExpr:
				note(n.Target)
			case *program.IncDec:
				note(n.X)
			case *program.Unary:
				if n.Op == "&" {
					note(n.X)
				}
			case *program.Call:
				note(n.Fun)
				for _, a := range n.Args {
					note(a)
				}
			case *program.Return:
				note(n.Value)
			case *program.Asm:
				for _, o := range append(n.Outputs[:len(n.Outputs):len(n.Outputs)], n.Inputs...) {
					note(o.X)
				}
			}
			return true
		})
	}
	return out
}
