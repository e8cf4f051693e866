package random

import (
	"math/rand/v2"
	"slices"

	"github.com/fencepost-dev/fencepost/judge/kernel"
)

// Mutate changes one thing in a kernel. What comes out may be as right as before.
func Mutate(r *rand.Rand, k *kernel.Kernel) {
	for range 20 {
		if mutations[r.IntN(len(mutations))](r, k) {
			return
		}
	}
}

var synchronizing = []kernel.StmtOp{kernel.SyncThreads, kernel.SyncWarp, kernel.BarSync, kernel.BarArrive, kernel.Arrive, kernel.Wait, kernel.Expect,
	kernel.WaitGroup, kernel.CommitGroup, kernel.Return}

// place is a statement in its list.
type place struct {
	list *[]*kernel.Stmt
	at   int
}

func (p place) stmt() *kernel.Stmt { return (*p.list)[p.at] }

func places(k *kernel.Kernel, which func(*kernel.Stmt) bool) (out []place) {
	k.Lists(func(l *[]*kernel.Stmt) {
		for i, s := range *l {
			if which(s) {
				out = append(out, place{l, i})
			}
		}
	})
	return out
}

func is(ops ...kernel.StmtOp) func(*kernel.Stmt) bool {
	return func(s *kernel.Stmt) bool { return slices.Contains(ops, s.Op) }
}

func pick[T any](r *rand.Rand, list []T) (one T, ok bool) {
	if len(list) == 0 {
		return one, false
	}
	return list[r.IntN(len(list))], true
}

var mutations = []func(*rand.Rand, *kernel.Kernel) bool{
	dropped, dropped, dropped, moved, moved, swapped, otherConstant, otherConstant, otherPhase, otherCount, narrowed, underCondition, otherType, otherOperator, weaker,
}

// dropped leaves an operation out.
func dropped(r *rand.Rand, k *kernel.Kernel) bool {
	p, ok := pick(r, places(k, is(synchronizing...)))
	if ok {
		*p.list = slices.Delete(*p.list, p.at, p.at+1)
	}
	return ok
}

// moved lets an operation change places with a neighbour.
func moved(r *rand.Rand, k *kernel.Kernel) bool {
	p, ok := pick(r, places(k, is(synchronizing...)))
	return ok && exchange(r, p)
}

// swapped lets any statement change places with its neighbour, but not with the declaration of what it uses.
func swapped(r *rand.Rand, k *kernel.Kernel) bool {
	p, ok := pick(r, places(k, func(*kernel.Stmt) bool { return true }))
	return ok && exchange(r, p)
}

func exchange(r *rand.Rand, p place) bool {
	other := p.at - 1 + 2*r.IntN(2)
	if other < 0 || other >= len(*p.list) {
		return false
	}
	a, b := p.stmt(), (*p.list)[other]
	if a.Op == kernel.Declare || b.Op == kernel.Declare || a.Op == kernel.For && a.Form == kernel.AsWhile || b.Op == kernel.For && b.Form == kernel.AsWhile {
		return false
	}
	(*p.list)[p.at], (*p.list)[other] = b, a
	return true
}

// constants are the places of constants, but for those that only make up the kernel's shape.
func constants(k *kernel.Kernel) (out []**kernel.Expr) {
	for _, p := range places(k, func(s *kernel.Stmt) bool {
		return !is(kernel.InitGate, kernel.BulkCopy, kernel.BarSync, kernel.BarArrive, kernel.Declare, kernel.Wait)(s)
	}) {
		s := p.stmt()
		s.Exprs(func(e **kernel.Expr) {
			if e == &s.C && s.Op == kernel.For {
				return
			}
			kernel.Each(e, func(x **kernel.Expr) {
				if (*x).Op == kernel.Const {
					out = append(out, x)
				}
			})
		})
	}
	return out
}

func otherConstant(r *rand.Rand, k *kernel.Kernel) bool {
	e, ok := pick(r, constants(k))
	if ok {
		(*e).Value = max(0, (*e).Value+[]int64{-1, 1, 1, -32, 32, 2}[r.IntN(6)])
	}
	return ok
}

func otherPhase(r *rand.Rand, k *kernel.Kernel) bool {
	p, ok := pick(r, places(k, is(kernel.Wait)))
	if ok {
		s := p.stmt()
		switch r.IntN(3) {
		case 0:
			s.B = kernel.X(kernel.Xor, s.B, kernel.N(1))
		case 1:
			s.B = kernel.N(r.IntN(2))
		case 2:
			if e, ok := pick(r, within(s.B)); ok {
				(*e).Value = max(1, (*e).Value+1)
			}
		}
	}
	return ok
}

func within(e *kernel.Expr) (out []**kernel.Expr) {
	kernel.Each(&e, func(x **kernel.Expr) {
		if (*x).Op == kernel.Const && x != &e {
			out = append(out, x)
		}
	})
	return out
}

// otherCount changes how many a barrier is for.
func otherCount(r *rand.Rand, k *kernel.Kernel) bool {
	if p, ok := pick(r, places(k, is(kernel.WaitGroup))); ok && r.IntN(2) == 0 {
		p.stmt().Count++
		return true
	}
	p, ok := pick(r, places(k, is(kernel.InitGate, kernel.BarSync, kernel.BarArrive, kernel.Arrive, kernel.Expect)))
	if !ok {
		return false
	}
	s := p.stmt()
	v, constant := s.B.IsConst()
	if !constant {
		return false
	}
	switch s.Op {
	case kernel.BarSync, kernel.BarArrive:
		if r.IntN(3) == 0 {
			if id, ok := s.A.IsConst(); ok {
				s.A = kernel.N(int(id)%15 + 1)
			}
			return true
		}
		v += []int64{-32, 32}[r.IntN(2)]
	case kernel.Expect:
		v += []int64{-16, 16}[r.IntN(2)]
	default:
		v += []int64{-1, 1, -31, 31}[r.IntN(4)]
	}
	if v <= 0 {
		return false
	}
	s.B = kernel.N(int(v))
	return true
}

// narrowed lets only some threads do an operation.
func narrowed(r *rand.Rand, k *kernel.Kernel) bool {
	p, ok := pick(r, places(k, is(kernel.SyncThreads, kernel.SyncWarp, kernel.BarSync, kernel.Arrive, kernel.Wait, kernel.Store)))
	if !ok {
		return false
	}
	c := kernel.X(kernel.Less, kernel.Leaf(kernel.Tid), kernel.N([]int{1, 16, 32, 48, 64}[r.IntN(5)]))
	if r.IntN(3) == 0 {
		c = kernel.X(kernel.Equal, kernel.Leaf(kernel.Warp), kernel.N(r.IntN(k.Warps)))
	}
	(*p.list)[p.at] = &kernel.Stmt{Op: kernel.If, A: c, Body: []*kernel.Stmt{p.stmt()}}
	return true
}

// underCondition lets an operation happen only for some values of the parameters.
func underCondition(r *rand.Rand, k *kernel.Kernel) bool {
	p, ok := pick(r, places(k, is(synchronizing...)))
	if !ok || len(k.Params) == 0 || p.list == nil {
		return false
	}
	for _, f := range k.Functions { // a helper does not see the parameters
		inside := false
		kernel.Walk(f.Body, func(s *kernel.Stmt) { inside = inside || s == p.stmt() })
		if inside {
			return false
		}
	}
	c := kernel.X([]kernel.Op{kernel.NotEqual, kernel.Less}[r.IntN(2)], kernel.V(k.Params[r.IntN(len(k.Params))]), kernel.N(1+r.IntN(4)))
	(*p.list)[p.at] = &kernel.Stmt{Op: kernel.If, A: c, Body: []*kernel.Stmt{p.stmt()}}
	return true
}

// otherType lets a variable have another type.
func otherType(r *rand.Rand, k *kernel.Kernel) bool {
	p, ok := pick(r, places(k, is(kernel.Declare)))
	if !ok {
		return false
	}
	p.stmt().Type = kernel.Type(r.IntN(3))
	return true
}

// otherOperator lets a comparison or a sum be another.
func otherOperator(r *rand.Rand, k *kernel.Kernel) bool {
	other := map[kernel.Op]kernel.Op{kernel.Less: kernel.LessEqual, kernel.LessEqual: kernel.Less, kernel.Equal: kernel.NotEqual, kernel.NotEqual: kernel.Equal,
		kernel.Add: kernel.Sub, kernel.Sub: kernel.Add, kernel.Both: kernel.Either, kernel.Xor: kernel.Or, kernel.Rem: kernel.And}
	var found []*kernel.Expr
	for _, p := range places(k, func(*kernel.Stmt) bool { return true }) {
		p.stmt().Exprs(func(e **kernel.Expr) {
			kernel.Each(e, func(x **kernel.Expr) {
				if _, ok := other[(*x).Op]; ok {
					found = append(found, *x)
				}
			})
		})
	}
	e, ok := pick(r, found)
	if ok {
		e.Op = other[e.Op]
	}
	return ok
}

// weaker lets a barrier be one for fewer threads.
func weaker(r *rand.Rand, k *kernel.Kernel) bool {
	p, ok := pick(r, places(k, is(kernel.SyncThreads, kernel.BarSync, kernel.SyncWarp)))
	if !ok {
		return false
	}
	s := &kernel.Stmt{Op: kernel.SyncWarp, Mask: 0xffffffff}
	if p.stmt().Op == kernel.SyncWarp {
		s.Mask = []uint32{0xffff, 0xffff0000, 0xfffffffe}[r.IntN(3)]
	}
	(*p.list)[p.at] = s
	return true
}
