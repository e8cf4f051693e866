package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// A branch or loop without synchronization whose test is not known is not executed, but what it reads and writes of
// shared tensors is taken note of: its statements are evaluated once, each branch and one round of each loop, with
// everything they assign unknown at first. That covers what any execution of it accesses, as far as the stages do
// not depend on what is unknown; where they do, the block is no longer tracked.

// sample evaluates the statements of st once, without regard to its tests.
func (m *machine) sample(st program.Stmt, s *value.Scope) {
	m.in.low.ran[st] = true
	switch st := st.(type) {
	case *program.Assign, *program.ExprStmt, *program.FuncDef, *program.Import:
		m.glimpse(st, s, func() { m.exec(st, s) })
	case *program.If:
		m.glimpse(st.Cond, s, func() { m.eval(st.Cond, s) })
		m.samples(st.Then, s)
		m.samples(st.Else, s)
	case *program.For:
		m.glimpse(st.Iter, s, func() { m.eval(st.Iter, s) })
		m.samples(st.Body, s)
		m.samples(st.Else, s)
	case *program.While:
		m.glimpse(st.Cond, s, func() { m.eval(st.Cond, s) })
		m.samples(st.Body, s)
		m.samples(st.Else, s)
	case *program.With:
		for _, it := range st.Items {
			m.glimpse(it.X, s, func() { m.eval(it.X, s) })
		}
		m.samples(st.Body, s)
	case *program.Block:
		m.samples(st.Body, s)
	case *program.Return:
		if st.Value != nil {
			m.glimpse(st.Value, s, func() { m.eval(st.Value, s) })
		}
	case *program.Try, *program.Raise, *program.Delete:
		m.lose(st, s)
	}
}

func (m *machine) samples(body []program.Stmt, s *value.Scope) {
	for _, st := range body {
		m.burn(st)
		m.sample(st, s)
	}
}

// glimpse evaluates a piece; where evaluation would have to ask for something, the tensors that the piece names are given up.
// Copies that arrive on no mbarrier are taken to happen: what races with one, does where the condition holds.
func (m *machine) glimpse(n program.Node, s *value.Scope, work func()) {
	old, from, before := m.sampling, len(m.maybes), m.mark()
	m.sampling = true
	defer func() {
		m.sampling = old
		m.settleMaybes(from)
	}()
	m.in.low.protect(work, func(r any) {
		if _, again := r.(restart); again {
			panic(r)
		}
		m.lose(n, s)
	})
	if slices.ContainsFunc(m.ops[before.ops:], func(o protocol.Op) bool { return !o.Grouped() && (o.Kind != protocol.Drain || len(o.Drains) > 0) }) {
		m.undo(before)
		m.stop(n, limit.RunTime, "synchronization under a condition or in a loop that is only known when the kernel runs")
	}
}
