package random

import "github.com/fencepost-dev/fencepost/judge/kernel"

// tid is the thread index in one of its spellings.
func (m *maker) tid() *kernel.Expr {
	e := kernel.Leaf(kernel.Tid)
	if m.k.Language == kernel.CUDA && m.one(4) {
		e.Form = 1
	}
	if m.one(10) {
		e = kernel.X(kernel.Add, kernel.X(kernel.Mul, kernel.Leaf(kernel.Warp), kernel.N(32)), kernel.Leaf(kernel.Lane))
	}
	return e
}

// relative is the index of a thread in its group, an expression of type Int or Unsigned.
func (m *maker) relative(g group) *kernel.Expr {
	t, lo, n := m.tid(), 32*g.lo, g.threads()
	if lo > 0 {
		switch m.IntN(5) {
		case 0:
			t = kernel.X(kernel.Sub, kernel.To(kernel.Unsigned, t), &kernel.Expr{Op: kernel.Const, Type: kernel.Unsigned, Value: int64(lo)})
		case 1:
			t = kernel.X(kernel.Add, kernel.X(kernel.Mul, kernel.X(kernel.Sub, kernel.Leaf(kernel.Warp), kernel.N(g.lo)), kernel.N(32)), kernel.Leaf(kernel.Lane))
		default:
			t = kernel.X(kernel.Sub, t, kernel.N(lo))
		}
	}
	power := n&(n-1) == 0
	switch m.IntN(10) {
	case 0:
		return kernel.X(kernel.Rem, kernel.To(kernel.Int, t), kernel.N(n))
	case 1:
		if power {
			return kernel.X(kernel.And, t, kernel.N(n-1))
		}
	case 2:
		if m.one(2) { // which is the same in a byte
			t = kernel.X(kernel.Add, t, kernel.N(256))
		}
		return kernel.To(kernel.Int, kernel.To(kernel.Byte, t))
	case 3:
		return kernel.To(kernel.Int, t)
	}
	return t
}

// element is a different place of 0 … n-1 for each thread of a group of n; plain is its own.
func (m *maker) element(g group, plain bool) *kernel.Expr {
	r, n := m.relative(g), g.threads()
	if plain {
		return r
	}
	r = kernel.To(kernel.Int, r)
	switch m.IntN(7) {
	case 0, 1:
		return kernel.X(kernel.Sub, kernel.N(n-1), r)
	case 2:
		return kernel.X(kernel.Xor, r, kernel.N(1<<m.IntN(5)))
	case 3:
		return kernel.X(kernel.Rem, kernel.X(kernel.Add, r, kernel.N(1+m.IntN(n-1))), kernel.N(n))
	case 4:
		if n&(n-1) == 0 {
			return kernel.X(kernel.Rem, kernel.X(kernel.Mul, r, kernel.N(3)), kernel.N(n))
		}
	case 5:
		if len(m.loops) > 0 {
			return kernel.X(kernel.Rem, kernel.X(kernel.Add, r, kernel.V(m.loops[m.IntN(len(m.loops))])), kernel.N(n))
		}
	case 6: // of another warp's lane
		return kernel.X(kernel.Rem, kernel.X(kernel.Add, r, kernel.N(32)), kernel.N(n))
	}
	return r
}

// role is a condition for the warps of a group among those who may be there.
func (m *maker) role(g group) *kernel.Expr {
	w, n := kernel.Leaf(kernel.Warp), g.hi-g.lo
	if m.one(5) {
		w = kernel.X(kernel.Div, m.tid(), kernel.N(32))
	}
	lo, hi := 32*g.lo, 32*g.hi
	switch {
	case m.one(5): // with no sign, those below lo are far away
		if m.one(2) { // by the comparison alone
			return kernel.X(kernel.Less, kernel.X(kernel.Sub, kernel.To(kernel.Int, m.tid()), kernel.N(lo)), &kernel.Expr{Op: kernel.Const, Type: kernel.Unsigned, Value: int64(hi - lo)})
		}
		u := kernel.X(kernel.Sub, kernel.To(kernel.Unsigned, m.tid()), &kernel.Expr{Op: kernel.Const, Type: kernel.Unsigned, Value: int64(lo)})
		if m.one(2) { // what is divided has wrapped
			return kernel.X(kernel.Equal, kernel.X(kernel.Div, u, kernel.N(hi-lo)), kernel.N(0))
		}
		return kernel.X(kernel.Less, u, &kernel.Expr{Op: kernel.Const, Type: kernel.Unsigned, Value: int64(hi - lo)})
	case n == 1 && !m.one(4):
		return kernel.X(kernel.Equal, w, kernel.N(g.lo))
	case g.lo == 0 && m.one(2):
		return kernel.X(kernel.Less, m.tid(), kernel.N(hi))
	case g.lo == 0:
		return kernel.X(kernel.Less, w, kernel.N(g.hi))
	case g.hi == m.k.Warps && m.one(2):
		return kernel.X(kernel.LessEqual, kernel.N(lo), m.tid())
	case g.hi == m.k.Warps:
		return &kernel.Expr{Op: kernel.Not, Args: []*kernel.Expr{kernel.X(kernel.Less, w, kernel.N(g.lo))}}
	}
	return kernel.X(kernel.Both, kernel.X(kernel.LessEqual, kernel.N(g.lo), w), kernel.X(kernel.Less, w.Clone(), kernel.N(g.hi)))
}
