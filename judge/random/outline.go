package random

import (
	"slices"

	"github.com/fencepost-dev/fencepost/judge/kernel"
)

// outline moves some statements into a helper of their own, if some can be found that may.
func (m *maker) outline() {
	var lists []*[]*kernel.Stmt
	helpers := m.k.Functions
	if m.k.Language == kernel.CuTe { // a closure of the kernel is none of its helpers'
		m.k.Functions = nil
	}
	m.k.Lists(func(l *[]*kernel.Stmt) {
		if len(*l) > 0 {
			lists = append(lists, l)
		}
	})
	m.k.Functions = helpers
	for range 4 {
		list := lists[m.IntN(len(lists))]
		from := m.IntN(len(*list))
		to := from + 1 + m.IntN(min(4, len(*list)-from))
		form := []kernel.FunctionForm{kernel.Plain, kernel.Plain, kernel.Closure, kernel.Macro, kernel.Template}[m.IntN(5)]
		if m.k.Language == kernel.CuTe && form != kernel.Closure {
			form = kernel.Plain
		}
		if call := m.extract((*list)[from:to], form); call != nil {
			*list = slices.Concat((*list)[:from], []*kernel.Stmt{call}, (*list)[to:])
			return
		}
	}
}

// names is what statements use of their surroundings.
type names struct {
	numbers, arrays, gates []string
	own                    map[string]bool
	writes                 bool // to a variable from outside
	calls                  bool
	leaves                 bool // by a jump
}

func (n *names) note(list *[]string, name string) {
	if !n.own[name] && !slices.Contains(*list, name) {
		*list = append(*list, name)
	}
}

func free(list []*kernel.Stmt) *names {
	n := &names{own: map[string]bool{}}
	kernel.Walk(list, func(s *kernel.Stmt) {
		s.Exprs(func(e **kernel.Expr) {
			kernel.Each(e, func(x **kernel.Expr) {
				if (*x).Op == kernel.Var {
					n.note(&n.numbers, (*x).Name)
				}
			})
		})
		switch s.Op {
		case kernel.Declare, kernel.For:
			n.own[s.Name] = true
		case kernel.Assign, kernel.Input:
			n.writes = n.writes || !n.own[s.Name]
		case kernel.LoadVar:
			n.writes = n.writes || !n.own[s.Other]
			n.note(&n.arrays, s.Name)
		case kernel.Store, kernel.Read, kernel.Atomic, kernel.CopyAsync:
			n.note(&n.arrays, s.Name)
		case kernel.BulkCopy:
			n.note(&n.arrays, s.Name)
			n.note(&n.gates, s.Other)
		case kernel.InitGate, kernel.Arrive, kernel.Expect, kernel.Wait:
			n.note(&n.gates, s.Name)
		case kernel.Call:
			n.calls = true
		case kernel.Return, kernel.Break, kernel.Continue:
			n.leaves = true
		}
	})
	// What a loop declares in its head is its own in its bounds only by mistake.
	n.numbers = slices.DeleteFunc(n.numbers, func(name string) bool { return n.own[name] })
	return n
}

func (m *maker) extract(list []*kernel.Stmt, form kernel.FunctionForm) *kernel.Stmt {
	n := free(list)
	if n.calls || n.leaves || n.writes || m.outlives(list, n) {
		return nil
	}
	types := m.types()
	f := &kernel.Function{Name: m.name("step"), Form: form, Body: kernel.CloneList(list)}
	call := &kernel.Stmt{Op: kernel.Call, Name: f.Name, Form: uint8(m.IntN(2))}
	add := func(kind kernel.ParamKind, t kernel.Type, name string, arg *kernel.Expr) {
		p := kernel.Param{Name: m.name("p"), Kind: kind, Type: t}
		f.Params = append(f.Params, p)
		call.Args = append(call.Args, arg)
		rename(f.Body, name, p.Name)
	}
	if form == kernel.Template {
		if !m.lift(f, call) {
			f.Form = kernel.Plain
		}
	}
	inside := f.Form == kernel.Closure || f.Form == kernel.Macro // may use what is around them by its name
	for _, name := range n.numbers {
		param := slices.Contains(m.k.Params, name)
		if !inside || !param && m.k.Language == kernel.CuTe || m.one(2) { // the DSL's closures stand before the body
			add(kernel.Number, types[name], name, kernel.V(name))
		}
	}
	for _, name := range n.arrays {
		if !inside || m.one(3) {
			m.pointer(f, name, add)
		}
	}
	for _, name := range n.gates {
		if !inside || m.one(3) {
			add(kernel.Gate, 0, name, &kernel.Expr{Op: kernel.Gate0, Name: name})
		}
	}
	m.k.Functions = append([]*kernel.Function{f}, m.k.Functions...) // another helper may be what calls it
	return call
}

// outlives reports whether what statements declare is used elsewhere, too.
func (m *maker) outlives(list []*kernel.Stmt, n *names) bool {
	all, inside := map[string]int{}, map[string]int{}
	uses := func(to map[string]int) func(*kernel.Stmt) {
		return func(s *kernel.Stmt) {
			to[s.Name]++
			to[s.Other]++
			s.Exprs(func(e **kernel.Expr) { kernel.Each(e, func(x **kernel.Expr) { to[(*x).Name]++ }) })
		}
	}
	kernel.Walk(m.k.Body, uses(all))
	for _, f := range m.k.Functions {
		kernel.Walk(f.Body, uses(all))
	}
	kernel.Walk(list, uses(inside))
	for name := range n.own {
		if all[name] != inside[name] {
			return true
		}
	}
	return false
}

// pointer hands an array on, perhaps from some element on, which the helper then counts from.
func (m *maker) pointer(f *kernel.Function, name string, add func(kernel.ParamKind, kernel.Type, string, *kernel.Expr)) {
	offset := 0
	uniform := true
	kernel.Walk(f.Body, func(s *kernel.Stmt) { uniform = uniform && s.Op != kernel.CopyAsync && s.Op != kernel.BulkCopy })
	if uniform && m.one(4) {
		offset = 4 * m.IntN(3)
	}
	if offset > 0 {
		kernel.Walk(f.Body, func(s *kernel.Stmt) {
			switch s.Op {
			case kernel.Store, kernel.Read, kernel.Atomic, kernel.LoadVar:
				if s.Name == name {
					s.A = kernel.X(kernel.Sub, s.A, kernel.N(offset))
				}
			}
		})
	}
	add(kernel.Pointer, 0, name, &kernel.Expr{Op: kernel.Array0, Name: name, Args: []*kernel.Expr{kernel.N(offset)}})
}

// lift makes a constant of the helper its first parameter.
func (m *maker) lift(f *kernel.Function, call *kernel.Stmt) bool {
	var places []**kernel.Expr
	kernel.Walk(f.Body, func(s *kernel.Stmt) {
		if s.Op == kernel.BulkCopy || s.Op == kernel.For {
			return
		}
		s.Exprs(func(e **kernel.Expr) {
			kernel.Each(e, func(x **kernel.Expr) {
				if v, ok := (*x).IsConst(); ok && (*x).Type == kernel.Int && v >= 0 {
					places = append(places, x)
				}
			})
		})
	})
	if len(places) == 0 {
		return false
	}
	at := places[m.IntN(len(places))]
	p := kernel.Param{Name: m.name("K")}
	f.Params, call.Args = append(f.Params, p), append(call.Args, *at)
	*at = kernel.V(p.Name)
	return true
}

func rename(list []*kernel.Stmt, from, to string) {
	kernel.Walk(list, func(s *kernel.Stmt) {
		s.Exprs(func(e **kernel.Expr) {
			kernel.Each(e, func(x **kernel.Expr) {
				if (*x).Name == from {
					(*x).Name = to
				}
			})
		})
		if s.Name == from && s.Op != kernel.Call {
			s.Name = to
		}
		if s.Other == from {
			s.Other = to
		}
	})
}

// types are those of all variables of the kernel; names are used once.
func (m *maker) types() map[string]kernel.Type {
	out := map[string]kernel.Type{}
	look := func(s *kernel.Stmt) {
		if s.Op == kernel.Declare {
			out[s.Name] = s.Type
		}
	}
	kernel.Walk(m.k.Body, look)
	for _, f := range m.k.Functions {
		kernel.Walk(f.Body, look)
		for _, p := range f.Params {
			out[p.Name] = p.Type
		}
	}
	return out
}
