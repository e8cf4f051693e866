// Package random draws small kernels, right ones and broken ones, and compares what fencepost says of them with what package
// reference finds when it executes them.
package random

import (
	"fmt"
	"math/rand/v2"

	"github.com/fencepost-dev/fencepost/judge/kernel"
)

// maker draws one kernel.
type maker struct {
	*rand.Rand
	k     *kernel.Kernel
	names int
	ids   int // of named barriers handed out
	inits []*kernel.Stmt
	loops []string // variables of the loops around, which count from zero
}

// group is the warps that execute what is being drawn, with all of their lanes.
type group struct {
	lo, hi int
	all    bool // everyone who has not exited: __syncthreads is theirs
}

func (g group) threads() int { return 32 * (g.hi - g.lo) }

// Generate draws the kernel of a seed. It is meant to be right; whether it is, says its execution.
func Generate(language kernel.Language, seed uint64) *kernel.Kernel {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, uint64(language)+11)), k: &kernel.Kernel{Language: language}}
	k := m.k
	k.Warps = []int{1, 2, 2, 2, 2, 2, 3, 4}[m.IntN(8)]
	for i := range []int{0, 0, 1, 1, 1, 2}[m.IntN(6)] {
		k.Params = append(k.Params, []string{"n", "m"}[i])
	}
	if language == kernel.CUDA && m.one(4) {
		k.Index = kernel.Unsigned
	}
	k.Style = kernel.Style{Struct: m.one(5), Pool: m.one(6), Rows: m.one(8), Objects: m.one(3), Listed: m.one(6)}
	g := group{0, k.Warps, true}
	var body []*kernel.Stmt
	if language == kernel.CUDA && k.Warps > 1 && m.one(8) { // some warps leave at once, after what everyone needs
		g.hi = 1 + m.IntN(k.Warps-1)
		body = append(body, &kernel.Stmt{Op: kernel.If, A: m.role(group{g.hi, k.Warps, false}), Body: []*kernel.Stmt{{Op: kernel.Return}}})
	}
	body = append(body, m.body(g, 0, []int{1, 1, 1, 1, 2, 2, 2, 3}[m.IntN(8)])...)
	if len(m.inits) > 0 {
		first := &kernel.Stmt{Op: kernel.If, A: kernel.X(kernel.Equal, m.tid(), kernel.N(0)), Body: append(m.inits, &kernel.Stmt{Op: kernel.FenceInit})}
		body = append([]*kernel.Stmt{first, m.sync(group{0, k.Warps, true})}, body...)
	}
	k.Body = body
	for range m.IntN(3) {
		m.outline()
	}
	return k
}

// one is true once in n times.
func (m *maker) one(n int) bool { return m.IntN(n) == 0 }

func (m *maker) name(prefix string) string {
	m.names++
	return fmt.Sprintf("%s%d", prefix, m.names)
}

func (m *maker) array(length int) string {
	a := &kernel.Array{Name: m.name("s"), Length: length, Global: m.one(12)}
	if a.Global {
		a.Name = m.name("g")
	}
	m.k.Arrays = append(m.k.Arrays, a)
	return a.Name
}

// gates adds mbarriers, initialised before everything else.
func (m *maker) gates(prefix string, length, count int) string {
	b := &kernel.Mbarrier{Name: m.name(prefix), Length: length}
	m.k.Barriers = append(m.k.Barriers, b)
	if length == 1 {
		m.inits = append(m.inits, &kernel.Stmt{Op: kernel.InitGate, Name: b.Name, A: kernel.N(0), B: kernel.N(count)})
		return b.Name
	}
	i := m.name("i")
	form := kernel.Plainly
	if m.one(2) {
		form = kernel.Traced
	}
	m.inits = append(m.inits, &kernel.Stmt{Op: kernel.For, Form: form, Name: i, A: kernel.N(0), B: kernel.N(length), C: kernel.N(1),
		Body: []*kernel.Stmt{{Op: kernel.InitGate, Name: b.Name, A: kernel.V(i), B: kernel.N(count)}}})
	return b.Name
}

// sync is a barrier for a group.
func (m *maker) sync(g group) *kernel.Stmt {
	switch {
	case g.all && !m.one(6):
		return &kernel.Stmt{Op: kernel.SyncThreads, Form: uint8(m.IntN(2))}
	case g.hi-g.lo == 1 && !m.one(4):
		return &kernel.Stmt{Op: kernel.SyncWarp, Mask: 0xffffffff}
	}
	return m.named(kernel.BarSync, m.id(), g.threads())
}

// id is a named barrier that nobody else uses, as long as there are any.
func (m *maker) id() int {
	m.ids = m.ids%15 + 1
	return m.ids
}

func (m *maker) named(op kernel.StmtOp, id, threads int) *kernel.Stmt {
	return &kernel.Stmt{Op: op, A: kernel.N(id), B: kernel.N(threads), Form: uint8(m.IntN(2))}
}

// body draws what a group does.
func (m *maker) body(g group, depth, parts int) []*kernel.Stmt {
	var out []*kernel.Stmt
	for range parts {
		out = append(out, m.part(g, depth)...)
	}
	return out
}

func (m *maker) part(g group, depth int) []*kernel.Stmt {
	if depth < 3 {
		switch m.IntN(9) {
		case 0, 1:
			return m.loop(depth, func() []*kernel.Stmt { return m.body(g, depth+1, 1) })
		case 2:
			if g.hi-g.lo > 1 {
				return m.roles(g, depth)
			}
		case 3:
			if len(m.k.Params) > 0 && m.one(2) {
				return []*kernel.Stmt{{Op: kernel.If, A: m.uniform(), Body: m.body(g, depth+1, 1)}}
			}
		}
	}
	patterns := []func(group) []*kernel.Stmt{m.exchange, m.exchange, m.leader, m.tree, m.lanes, m.counter, m.doubled, m.halves}
	if g.hi-g.lo > 1 {
		patterns = append(patterns, m.handed, m.crossed, m.ring, m.ring, m.ring)
	}
	if m.k.Language == kernel.CUDA {
		patterns = append(patterns, m.bulk, m.copied, m.staged)
	}
	return patterns[m.IntN(len(patterns))](g)
}

// loop repeats what draw draws.
func (m *maker) loop(depth int, draw func() []*kernel.Stmt) []*kernel.Stmt {
	i := m.name("i")
	s := &kernel.Stmt{Op: kernel.For, Name: i, A: kernel.N(0), B: m.count(), C: kernel.N(1)}
	if m.one(6) {
		s.C = kernel.N(2)
	}
	_, constant := s.B.IsConst()
	switch {
	case constant && m.one(4):
		s.Form = kernel.Traced
	case m.one(6):
		s.Form = kernel.AsWhile
	}
	m.loops = append(m.loops, i)
	s.Body = draw()
	m.loops = m.loops[:len(m.loops)-1]
	if m.k.Language == kernel.CUDA && s.Form != kernel.AsWhile && m.one(8) && len(m.k.Params) > 0 {
		op := []kernel.StmtOp{kernel.Break, kernel.Continue}[m.IntN(2)]
		when := kernel.X(kernel.Equal, kernel.V(i), kernel.V(m.k.Params[0]))
		s.Body = append([]*kernel.Stmt{{Op: kernel.If, A: when, Body: []*kernel.Stmt{{Op: op}}}}, s.Body...)
	}
	return []*kernel.Stmt{s}
}

// count is a number of rounds.
func (m *maker) count() *kernel.Expr {
	nested := len(m.loops) > 0 && !m.one(4) // what is proved of loops in loops for all numbers of rounds takes long
	if len(m.k.Params) == 0 || m.one(4) || nested {
		return kernel.N(1 + m.IntN(4))
	}
	n := kernel.V(m.k.Params[m.IntN(len(m.k.Params))])
	if m.one(5) {
		return kernel.X(kernel.Add, n, kernel.N(1+m.IntN(2)))
	}
	return n
}

// uniform is a condition that is the same for all threads.
func (m *maker) uniform() *kernel.Expr {
	names := append(append([]string{}, m.k.Params...), m.loops...)
	a := kernel.V(names[m.IntN(len(names))])
	switch m.IntN(4) {
	case 0:
		return kernel.X(kernel.Less, kernel.N(m.IntN(4)), a)
	case 1:
		return kernel.X(kernel.Equal, kernel.X(kernel.Rem, a, kernel.N(2)), kernel.N(m.IntN(2)))
	case 2:
		return kernel.X(kernel.NotEqual, a, kernel.N(m.IntN(4)))
	}
	return kernel.X(kernel.LessEqual, a, kernel.N(1+m.IntN(3)))
}

// roles splits a group in two that do different things.
func (m *maker) roles(g group, depth int) []*kernel.Stmt {
	a, b := m.split(g)
	s := &kernel.Stmt{Op: kernel.If, A: m.role(a), Body: m.body(a, depth+1, 1)}
	if m.one(4) {
		second := &kernel.Stmt{Op: kernel.If, A: m.role(b), Body: m.body(b, depth+1, 1)}
		return []*kernel.Stmt{s, second}
	}
	s.Else = m.body(b, depth+1, 1)
	return []*kernel.Stmt{s}
}

func (m *maker) split(g group) (a, b group) {
	at := g.lo + 1 + m.IntN(g.hi-g.lo-1)
	a, b = group{g.lo, at, false}, group{at, g.hi, false}
	if m.one(2) {
		return b, a
	}
	return a, b
}
