package random

import "github.com/fencepost-dev/fencepost/judge/kernel"

// ring lets some warps fill stages that others empty, with an mbarrier for each stage and way.
func (m *maker) ring(g group) []*kernel.Stmt {
	a, b := m.split(g)
	stages := 1 + m.IntN(3)
	width := a.threads()
	s := m.array(stages * width)
	byWarp := [2]bool{m.one(3), m.one(3)} // one lane of a warp arrives for all
	counts := [2]int{a.threads(), b.threads()}
	for i, one := range byWarp {
		if one {
			counts[i] /= 32
		}
	}
	weight := 1 + m.IntN(6)/5 // arrivals that one operation makes
	counts[0] *= weight
	full, empty := m.gates("full", stages, counts[0]), m.gates("empty", stages, counts[1])
	rounds := m.count()
	if len(m.loops) > 0 { // its counters go on from round to round of a loop around only where they are outside of it
		rounds = kernel.N(2 * stages)
	}
	produce := m.side(rounds, stages, empty, 1, func(stage *kernel.Expr) []*kernel.Stmt {
		before, v := m.value()
		at := kernel.X(kernel.Add, kernel.X(kernel.Mul, stage, kernel.N(width)), m.element(a, m.one(2)))
		return append(append(before, store(s, at, v)), m.arrive(full, stage.Clone(), weight, byWarp[0])...)
	})
	consume := m.side(rounds, stages, full, 0, func(stage *kernel.Expr) []*kernel.Stmt {
		at := kernel.X(kernel.Rem, kernel.To(kernel.Int, m.relative(b)), kernel.N(width))
		if m.one(2) {
			at = kernel.X(kernel.Sub, kernel.N(width-1), at)
		}
		out := []*kernel.Stmt{m.read(s, kernel.X(kernel.Add, kernel.X(kernel.Mul, stage, kernel.N(width)), at))}
		return append(out, m.arrive(empty, stage.Clone(), 1, byWarp[1])...)
	})
	return []*kernel.Stmt{{Op: kernel.If, A: m.role(a), Body: produce, Else: consume}}
}

// arrive is by every thread, or by one lane of a warp after the others.
func (m *maker) arrive(gate string, stage *kernel.Expr, count int, one bool) []*kernel.Stmt {
	s := &kernel.Stmt{Op: kernel.Arrive, Name: gate, A: stage, B: kernel.N(count)}
	if !one {
		return []*kernel.Stmt{s}
	}
	who := &kernel.Stmt{Op: kernel.If, A: kernel.X(kernel.Equal, kernel.Leaf(kernel.Lane), kernel.N(m.IntN(32))), Body: []*kernel.Stmt{s}}
	if m.one(2) {
		who = &kernel.Stmt{Op: kernel.Elect, Body: []*kernel.Stmt{s}}
	}
	return []*kernel.Stmt{{Op: kernel.SyncWarp, Mask: 0xffffffff}, who}
}

// side is the loop of one side of a ring: it waits for a stage, with phases that start at first, and does what is to do with it.
func (m *maker) side(rounds *kernel.Expr, stages int, gate string, first int, do func(stage *kernel.Expr) []*kernel.Stmt) []*kernel.Stmt {
	i := m.name("i")
	l := &kernel.Stmt{Op: kernel.For, Name: i, A: kernel.N(0), B: rounds.Clone(), C: kernel.N(1)}
	wait := func(stage, phase *kernel.Expr) *kernel.Stmt {
		return &kernel.Stmt{Op: kernel.Wait, Name: gate, A: stage, B: phase}
	}
	turn := func(count *kernel.Expr) *kernel.Expr { // phase of a count of all rounds
		of := kernel.X(kernel.Div, count, kernel.N(stages))
		of = []*kernel.Expr{kernel.X(kernel.And, of, kernel.N(1)), kernel.X(kernel.Rem, of, kernel.N(2))}[m.IntN(2)]
		if first == 1 {
			return kernel.X(kernel.Xor, of, kernel.N(1))
		}
		return of
	}
	switch m.IntN(4) {
	case 0, 1: // from the number of the round
		stage := kernel.X(kernel.Rem, kernel.V(i), kernel.N(stages))
		l.Body = append([]*kernel.Stmt{wait(stage, turn(kernel.V(i)))}, do(stage.Clone())...)
		return []*kernel.Stmt{l}
	case 2: // two variables, the stage and the phase
		types := []kernel.Type{kernel.Int, kernel.Unsigned, kernel.Byte}
		s, p, of := m.name("stage"), m.name("phase"), types[m.IntN(3)]
		wrap := &kernel.Stmt{Op: kernel.If, A: kernel.X(kernel.Equal, kernel.V(s), kernel.N(stages)), Body: []*kernel.Stmt{
			{Op: kernel.Assign, Name: s, A: kernel.N(0)}, {Op: kernel.Assign, Name: p, A: kernel.X(kernel.Xor, kernel.V(p), kernel.N(1))}}}
		l.Body = append([]*kernel.Stmt{wait(kernel.V(s), kernel.V(p))}, do(kernel.V(s))...)
		l.Body = append(l.Body, &kernel.Stmt{Op: kernel.Assign, Name: s, A: kernel.X(kernel.Add, kernel.V(s), kernel.N(1))}, wrap)
		return []*kernel.Stmt{{Op: kernel.Declare, Name: s, Type: of, A: kernel.N(0)},
			{Op: kernel.Declare, Name: p, Type: types[m.IntN(3)], A: kernel.N(first)}, l}
	}
	// a count of its own, that may be narrow
	c := m.name("c")
	of := kernel.Unsigned
	if stages != 3 && m.one(2) {
		of = kernel.Byte
	}
	stage := kernel.X(kernel.Rem, kernel.V(c), kernel.N(stages))
	l.Body = append([]*kernel.Stmt{wait(stage, turn(kernel.V(c)))}, do(stage.Clone())...)
	l.Body = append(l.Body, &kernel.Stmt{Op: kernel.Assign, Name: c, A: kernel.X(kernel.Add, kernel.V(c), kernel.N(1))})
	return []*kernel.Stmt{{Op: kernel.Declare, Name: c, Type: of, A: kernel.N(0)}, l}
}
