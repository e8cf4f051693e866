package lower

import (
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// narrow copies only the variables that a statement assigns and the containers it stores into, where that is all it can
// change: where it calls no function of the program and no method of an object or container. It answers false, with
// nothing copied, where it is not.
func (m *machine) narrow(h *value.Heap, st program.Stmt, s *value.Scope) bool {
	w := &writes{m: m, s: s, names: map[string]bool{}}
	program.Walk(st, func(n program.Node) bool {
		w.see(n)
		return !w.unknown
	})
	for _, name := range w.roots {
		w.unknown = w.unknown || w.names[name] // it stands for something else by then
	}
	if w.unknown {
		return false
	}
	for t := s; t != nil; t = t.Parent {
		h.Scopes[t] = t.Hold()
		h.Left -= len(t.Vars) / 4
		if t.Function {
			break
		}
	}
	for name := range w.names {
		if l, ok := s.Lookup(name); ok {
			if c, ok := l.(*value.Cell); ok {
				h.Cells[c] = c.V
			} else {
				h.Place(l)
			}
		}
	}
	for _, v := range w.into {
		h.Reach(v)
	}
	return true
}

// writes is what a statement changes, by its text.
type writes struct {
	m       *machine
	s       *value.Scope
	names   map[string]bool
	into    []value.Value // containers
	roots   []string      // variables through which containers and functions are reached
	unknown bool
}

func (w *writes) see(n program.Node) {
	switch n := n.(type) {
	case *program.Assign:
		for _, t := range n.Targets {
			w.target(t)
		}
	case *program.AssignExpr:
		w.target(n.Target)
	case *program.For:
		if n.Target != nil {
			w.target(n.Target)
		}
	case *program.With:
		for _, it := range n.Items {
			if it.As != nil {
				w.target(it.As)
			}
		}
	case *program.Comp:
		for _, c := range n.Clauses {
			w.target(c.Target)
		}
	case *program.Call:
		w.unknown = w.unknown || !w.m.harmless(n.Fun, w.s)
		w.root(n.Fun)
	case *program.Asm, *program.FuncDef, *program.ClassDef, *program.Delete, *program.Outer, *program.Try, *program.OpaqueStmt, *program.Unary:
		if u, ok := n.(*program.Unary); !ok || u.Op == "*" || u.Op == "&" {
			w.unknown = true
		}
	}
}

func (w *writes) target(t program.Expr) {
	switch t := t.(type) {
	case *program.Name:
		w.names[t.Ident] = true
	case *program.Tuple:
		for _, e := range t.Elems {
			w.target(e)
		}
	case *program.List:
		for _, e := range t.Elems {
			w.target(e)
		}
	case *program.Starred:
		w.target(t.X)
	case *program.Attr:
		w.container(t.X)
	case *program.Index:
		w.container(t.X)
	default:
		w.unknown = true
	}
}

func (w *writes) container(e program.Expr) {
	if !w.m.bound(e, w.s) {
		w.unknown = true
		return
	}
	w.into = append(w.into, w.m.eval(e, w.s))
	w.root(e)
}

func (w *writes) root(e program.Expr) {
	for {
		switch x := e.(type) {
		case *program.Attr:
			e = x.X
		case *program.Index:
			e = x.X
		case *program.Name:
			w.roots = append(w.roots, x.Ident)
			return
		default:
			return
		}
	}
}
