package random

import "github.com/fencepost-dev/fencepost/judge/kernel"

func store(array string, at, value *kernel.Expr) *kernel.Stmt {
	return &kernel.Stmt{Op: kernel.Store, Name: array, A: at, B: value}
}

func (m *maker) read(array string, at *kernel.Expr) *kernel.Stmt {
	return &kernel.Stmt{Op: kernel.Read, Name: array, A: at, Form: uint8(m.IntN(2))}
}

// value is a datum to store, with what has to be done before it.
func (m *maker) value() (before []*kernel.Stmt, v *kernel.Expr) {
	switch m.IntN(4) {
	case 0:
		return nil, kernel.X(kernel.Add, kernel.To(kernel.Int, m.tid()), kernel.N(m.IntN(9)))
	case 1:
		return nil, kernel.N(1 + m.IntN(9))
	}
	x := m.name("x")
	return []*kernel.Stmt{{Op: kernel.Declare, Name: x, A: kernel.N(0)}, {Op: kernel.Input, Name: x}}, kernel.V(x)
}

// exchange lets every thread write a place and read another's.
func (m *maker) exchange(g group) []*kernel.Stmt {
	s := m.array(g.threads())
	out, v := m.value()
	if m.one(3) { // by an index that has a name and a type
		r := m.name("r")
		of := []kernel.Type{kernel.Int, kernel.Unsigned, kernel.Byte}[m.IntN(3)]
		out = append(out, &kernel.Stmt{Op: kernel.Declare, Name: r, Type: of, A: m.relative(g)}, store(s, kernel.V(r), v))
	} else {
		out = append(out, store(s, m.element(g, m.one(2)), v))
	}
	out = append(out, m.sync(g), m.read(s, m.element(g, false)))
	return append(out, m.sync(g))
}

// leader lets one thread write what all read.
func (m *maker) leader(g group) []*kernel.Stmt {
	s := m.array(1 + m.IntN(3))
	at := kernel.N(m.IntN(m.k.Arrays[len(m.k.Arrays)-1].Length))
	before, v := m.value()
	who := kernel.X(kernel.Equal, m.relative(g), kernel.N(m.IntN(g.threads())))
	return append(before, &kernel.Stmt{Op: kernel.If, A: who, Body: []*kernel.Stmt{store(s, at, v)}},
		m.sync(g), m.read(s, at.Clone()), m.sync(g))
}

// tree halves the threads that add the other half's.
func (m *maker) tree(g group) []*kernel.Stmt {
	n := g.threads()
	for n&(n-1) != 0 {
		n -= 32
	}
	s, d, x := m.array(g.threads()), m.name("d"), m.name("x")
	out, v := m.value()
	r := kernel.To(kernel.Int, m.relative(g))
	out = append(out, store(s, r, v), m.sync(g),
		&kernel.Stmt{Op: kernel.Declare, Name: d, A: kernel.N(n / 2)},
		&kernel.Stmt{Op: kernel.Declare, Name: x, A: kernel.N(0)})
	half := []*kernel.Stmt{
		{Op: kernel.LoadVar, Name: s, Other: x, A: kernel.X(kernel.Add, r.Clone(), kernel.V(d))},
		{Op: kernel.Store, Name: s, A: r.Clone(), B: kernel.V(x)},
	}
	next := kernel.X(kernel.Shr, kernel.V(d), kernel.N(1))
	if m.one(2) {
		next = kernel.X(kernel.Div, kernel.V(d), kernel.N(2))
	}
	body := []*kernel.Stmt{{Op: kernel.If, A: kernel.X(kernel.Less, r.Clone(), kernel.V(d)), Body: half}, m.sync(g),
		{Op: kernel.Assign, Name: d, A: next}}
	out = append(out, &kernel.Stmt{Op: kernel.While, A: kernel.X(kernel.Less, kernel.N(0), kernel.V(d)), Body: body}, m.read(s, kernel.N(0)))
	return append(out, m.sync(g))
}

// lanes exchanges within each warp.
func (m *maker) lanes(g group) []*kernel.Stmt {
	s := m.array(32 * m.k.Warps)
	out, v := m.value()
	base := kernel.X(kernel.Mul, kernel.Leaf(kernel.Warp), kernel.N(32))
	if m.one(2) {
		base = kernel.X(kernel.Sub, kernel.To(kernel.Int, m.tid()), kernel.Leaf(kernel.Lane))
	}
	other := []*kernel.Expr{
		kernel.X(kernel.Sub, kernel.N(31), kernel.Leaf(kernel.Lane)),
		kernel.X(kernel.Xor, kernel.Leaf(kernel.Lane), kernel.N(1<<m.IntN(5))),
		kernel.X(kernel.Rem, kernel.X(kernel.Add, kernel.Leaf(kernel.Lane), kernel.N(1+m.IntN(31))), kernel.N(32)),
	}[m.IntN(3)]
	sync := &kernel.Stmt{Op: kernel.SyncWarp, Mask: 0xffffffff}
	out = append(out, store(s, m.tid(), v), sync, m.read(s, kernel.X(kernel.Add, base, other)))
	return append(out, sync.Clone())
}

// counter counts in one place.
func (m *maker) counter(g group) []*kernel.Stmt {
	s := m.array(2)
	at := m.IntN(2)
	first := &kernel.Stmt{Op: kernel.If, A: kernel.X(kernel.Equal, m.relative(g), kernel.N(0)), Body: []*kernel.Stmt{store(s, kernel.N(at), kernel.N(0))}}
	return []*kernel.Stmt{first, m.sync(g), {Op: kernel.Atomic, Name: s, A: kernel.N(at), B: kernel.N(1)}, m.sync(g), m.read(s, kernel.N(at)), m.sync(g)}
}

// doubled exchanges in two buffers in turn, with one barrier a round.
func (m *maker) doubled(g group) []*kernel.Stmt {
	n := g.threads()
	s := m.array(2 * n)
	return append(m.loop(0, func() []*kernel.Stmt {
		i := m.loops[len(m.loops)-1]
		out, v := m.value()
		half := func() *kernel.Expr {
			bit := kernel.X(kernel.And, kernel.V(i), kernel.N(1))
			if m.one(2) {
				bit = kernel.X(kernel.Rem, kernel.V(i), kernel.N(2))
			}
			return kernel.X(kernel.Mul, bit, kernel.N(n))
		}
		out = append(out, store(s, kernel.X(kernel.Add, half(), m.element(g, true)), v), m.sync(g))
		return append(out, m.read(s, kernel.X(kernel.Add, half(), m.element(g, false))))
	}), m.sync(g))
}

// handed lets some warps hand over what they write to others, by named barriers on which only one side waits.
func (m *maker) handed(g group) []*kernel.Stmt {
	a, b := m.split(g)
	s := m.array(a.threads())
	full, empty, n := m.id(), m.id(), g.threads()
	rounds := m.count()
	loop := func(draw func() []*kernel.Stmt) *kernel.Stmt {
		l := m.loop(0, draw)[0]
		l.B, l.C, l.Form = rounds.Clone(), kernel.N(1), kernel.Plainly
		if len(l.Body) > 0 && l.Body[0].Op == kernel.If && len(l.Body[0].Body) == 1 {
			if op := l.Body[0].Body[0].Op; op == kernel.Break || op == kernel.Continue {
				l.Body = l.Body[1:]
			}
		}
		return l
	}
	write := loop(func() []*kernel.Stmt {
		out := []*kernel.Stmt{m.named(kernel.BarSync, empty, n)}
		before, v := m.value()
		return append(append(out, before...), store(s, m.element(a, false), v), m.named(kernel.BarArrive, full, n))
	})
	use := loop(func() []*kernel.Stmt {
		at := kernel.X(kernel.Rem, kernel.To(kernel.Int, m.relative(b)), kernel.N(a.threads()))
		return []*kernel.Stmt{m.named(kernel.BarArrive, empty, n), m.named(kernel.BarSync, full, n), m.read(s, at)}
	})
	return []*kernel.Stmt{{Op: kernel.If, A: m.role(a), Body: []*kernel.Stmt{write}, Else: []*kernel.Stmt{use}}}
}

// bulk brings an array by one asynchronous copy for all. Its mbarrier is used once a kernel.
func (m *maker) bulk(g group) []*kernel.Stmt {
	if len(m.loops) > 0 {
		return m.exchange(g)
	}
	n := g.threads()
	s := m.array(n)
	m.k.Arrays[len(m.k.Arrays)-1].Global = false
	gate := m.gates("gate", 1, 1)
	issue := []*kernel.Stmt{{Op: kernel.Expect, Name: gate, A: kernel.N(0), B: kernel.N(4 * n)},
		{Op: kernel.BulkCopy, Name: s, A: kernel.N(0), B: kernel.N(n), Other: gate, C: kernel.N(0)}}
	return []*kernel.Stmt{{Op: kernel.If, A: kernel.X(kernel.Equal, m.relative(g), kernel.N(0)), Body: issue},
		{Op: kernel.Wait, Name: gate, A: kernel.N(0), B: kernel.N(0)}, m.read(s, m.element(g, false)), m.sync(g)}
}

// copied brings an array by copies of every thread.
func (m *maker) copied(g group) []*kernel.Stmt {
	s := m.array(4 * g.threads())
	m.k.Arrays[len(m.k.Arrays)-1].Global = false
	return []*kernel.Stmt{{Op: kernel.CopyAsync, Name: s, A: kernel.X(kernel.Mul, kernel.N(4), m.element(g, true))}, {Op: kernel.CommitGroup},
		{Op: kernel.WaitGroup}, m.sync(g), m.read(s, m.element(g, false)), m.sync(g)}
}

// halves exchanges within half warps, each with a mask of its own.
func (m *maker) halves(g group) []*kernel.Stmt {
	s := m.array(32 * m.k.Warps)
	lower := kernel.X(kernel.Less, kernel.Leaf(kernel.Lane), kernel.N(16))
	part := func(mask uint32) []*kernel.Stmt {
		sync := &kernel.Stmt{Op: kernel.SyncWarp, Mask: mask}
		out, v := m.value()
		out = append(out, store(s, m.tid(), v), sync, m.read(s, kernel.X(kernel.Xor, kernel.To(kernel.Int, m.tid()), kernel.N(1<<m.IntN(4)))))
		return append(out, sync.Clone())
	}
	out := []*kernel.Stmt{{Op: kernel.If, A: lower, Body: part(0xffff)}}
	if m.one(2) {
		out[0].Else = part(0xffff0000)
	}
	return append(out, m.sync(g))
}

// crossed lets each of two sides tell the other before it waits for it.
func (m *maker) crossed(g group) []*kernel.Stmt {
	a, b := m.split(g)
	s := m.array(g.threads())
	first, second, n := m.id(), m.id(), g.threads()
	side := func(of, other group, tells, waits int) []*kernel.Stmt {
		out, v := m.value()
		from := kernel.X(kernel.Rem, kernel.To(kernel.Int, m.relative(of)), kernel.N(other.threads()))
		return append(out, store(s, kernel.X(kernel.Add, kernel.N(32*(of.lo-g.lo)), m.element(of, true)), v),
			m.named(kernel.BarArrive, tells, n), m.named(kernel.BarSync, waits, n),
			m.read(s, kernel.X(kernel.Add, kernel.N(32*(other.lo-g.lo)), from)))
	}
	return []*kernel.Stmt{{Op: kernel.If, A: m.role(a), Body: side(a, b, first, second), Else: side(b, a, second, first)}, m.sync(g)}
}

// staged brings two parts by copies of every thread, in groups of their own, and waits for one after the other.
func (m *maker) staged(g group) []*kernel.Stmt {
	n := 4 * g.threads()
	s := m.array(2 * n)
	m.k.Arrays[len(m.k.Arrays)-1].Global = false
	copied := func(from int) *kernel.Stmt {
		at := kernel.X(kernel.Mul, kernel.N(4), m.element(g, true))
		return &kernel.Stmt{Op: kernel.CopyAsync, Name: s, A: kernel.X(kernel.Add, kernel.N(from), at)}
	}
	use := func(from int) *kernel.Stmt {
		return m.read(s, kernel.X(kernel.Add, kernel.N(from), m.element(g, false)))
	}
	return []*kernel.Stmt{copied(0), {Op: kernel.CommitGroup}, copied(n), {Op: kernel.CommitGroup},
		{Op: kernel.WaitGroup, Count: 1}, m.sync(g), use(0), {Op: kernel.WaitGroup}, m.sync(g), use(n), m.sync(g)}
}
