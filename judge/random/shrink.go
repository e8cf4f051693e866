package random

import (
	"slices"

	"github.com/fencepost-dev/fencepost/judge/kernel"
)

// Shrink makes a kernel smaller as long as it stays in its class.
func (b *Bench) Shrink(k *kernel.Kernel, class Class, states int) *kernel.Kernel {
	for left := 200; ; {
		smaller := false
		for _, try := range reductions(k) {
			if left--; left < 0 {
				return k
			}
			got, _, _, err := b.Compare(try, states)
			if err == nil && got == class {
				k, smaller = try, true
				break
			}
		}
		if !smaller {
			return k
		}
	}
}

// reductions are all kernels that are smaller by one thing, those that leave out most first.
func reductions(k *kernel.Kernel) (out []*kernel.Kernel) {
	n := len(places(k, func(*kernel.Stmt) bool { return true }))
	change := func(at int, f func(*kernel.Kernel, place) bool) {
		c := k.Clone()
		p := places(c, func(*kernel.Stmt) bool { return true })[at]
		if f(c, p) {
			out = append(out, tidy(c))
		}
	}
	for i := range n {
		change(i, func(_ *kernel.Kernel, p place) bool {
			s := p.stmt()
			*p.list = slices.Delete(*p.list, p.at, p.at+1)
			return s.Op != kernel.Declare
		})
	}
	for i := range n {
		change(i, func(c *kernel.Kernel, p place) bool { // what is inside instead
			s := p.stmt()
			inside := s.Body
			switch s.Op {
			case kernel.If, kernel.Elect:
			case kernel.For, kernel.While:
				jump := false
				kernel.Walk(inside, func(x *kernel.Stmt) { jump = jump || x.Op == kernel.Break || x.Op == kernel.Continue })
				if jump {
					return false
				}
				inside = kernel.CloneList(inside)
				fill(inside, s.Name)
			case kernel.Call:
				f := c.Function(s.Name)
				inside = kernel.CloneList(f.Body)
				for i, p := range f.Params {
					switch a := s.Args[i]; a.Op {
					case kernel.Const:
						put(inside, p.Name, a)
					case kernel.Array0:
						if v, ok := a.Args[0].IsConst(); !ok || v != 0 {
							return false
						}
						rename(inside, p.Name, a.Name)
					default:
						rename(inside, p.Name, a.Name)
					}
				}
			default:
				return false
			}
			*p.list = slices.Concat((*p.list)[:p.at], inside, (*p.list)[p.at+1:])
			return true
		})
		change(i, func(_ *kernel.Kernel, p place) bool {
			s := p.stmt()
			s.Body, s.Else = s.Else, nil
			return s.Op == kernel.If && len(s.Body) > 0
		})
	}
	for i := range n {
		change(i, func(_ *kernel.Kernel, p place) bool {
			s := p.stmt()
			if s.Op != kernel.If || len(s.Else) == 0 {
				return false
			}
			s.Else = nil
			return true
		})
	}
	out = append(out, simpler(k)...)
	return out
}

// simpler replaces expressions by parts of them, one at a time.
func simpler(k *kernel.Kernel) (out []*kernel.Kernel) {
	all := func(k *kernel.Kernel) (list []**kernel.Expr) {
		for _, p := range places(k, func(*kernel.Stmt) bool { return true }) {
			p.stmt().Exprs(func(e **kernel.Expr) {
				kernel.Each(e, func(x **kernel.Expr) { list = append(list, x) })
			})
		}
		return list
	}
	for i, e := range all(k) {
		switch (*e).Op {
		case kernel.Add, kernel.Sub, kernel.Mul, kernel.Rem, kernel.Div, kernel.Xor, kernel.And, kernel.Cast, kernel.Both:
			for part := range (*e).Args {
				c := k.Clone()
				at := all(c)[i]
				*at = (*at).Args[part]
				out = append(out, tidy(c))
			}
		}
	}
	return out
}

func fill(list []*kernel.Stmt, name string) { put(list, name, kernel.N(0)) }

func put(list []*kernel.Stmt, name string, value *kernel.Expr) {
	kernel.Walk(list, func(s *kernel.Stmt) {
		s.Exprs(func(e **kernel.Expr) {
			kernel.Each(e, func(x **kernel.Expr) {
				if (*x).Op == kernel.Var && (*x).Name == name {
					*x = value.Clone()
				}
			})
		})
	})
}

// tidy drops what nothing uses any more.
func tidy(k *kernel.Kernel) *kernel.Kernel {
	called := func() map[string]bool {
		used := map[string]bool{}
		note := func(s *kernel.Stmt) {
			used[s.Name] = used[s.Name] || s.Op != kernel.Declare
			used[s.Other] = true
			s.Exprs(func(e **kernel.Expr) { kernel.Each(e, func(x **kernel.Expr) { used[(*x).Name] = true }) })
		}
		kernel.Walk(k.Body, note)
		for _, f := range k.Functions {
			kernel.Walk(f.Body, note)
		}
		return used
	}
	used := called()
	k.Functions = slices.DeleteFunc(k.Functions, func(f *kernel.Function) bool { return !used[f.Name] })
	used = called()
	k.Arrays = slices.DeleteFunc(k.Arrays, func(a *kernel.Array) bool { return !used[a.Name] })
	k.Barriers = slices.DeleteFunc(k.Barriers, func(a *kernel.Mbarrier) bool { return !used[a.Name] })
	k.Lists(func(l *[]*kernel.Stmt) {
		*l = slices.DeleteFunc(*l, func(s *kernel.Stmt) bool { return s.Op == kernel.Declare && !used[s.Name] })
	})
	return k
}
