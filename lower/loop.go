package lower

import (
	"maps"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/iteration"
	"github.com/fencepost-dev/fencepost/lower/provenance"
	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

func (m *machine) forLoop(st *program.For, s *value.Scope) (control, value.Value) {
	it := m.eval(st.Iter, s)
	if l, ok := m.watch.over(it, st); ok {
		return m.watch.each(l, s)
	}
	if r, ok := it.(value.RangeValue); ok && !m.host && !m.syncs(st) && !syntax.Leaves(st.Body) {
		switch n := m.settle(r.Span()).(type) {
		case value.Int:
			if n > iteration.Longest {
				m.forgetLoop(st, it, s)
				return next, nil
			}
		case value.Lanes:
			if !iteration.FewCounts(n) && !m.assembles(st, n) {
				m.forgetLoop(st, it, s)
				return next, nil
			}
			m.splitOn(n)
		default:
			if !m.assembles(st, r.Span()) && !m.follow(st, r.Span()) {
				m.forgetLoop(st, it, s)
				return next, nil
			}
		}
	}
	if m.launch != nil && !m.countable(it) {
		return m.hostLoop(st, s)
	}
	if m.uncounted(it) && !m.surelySyncs(st) && m.rounds(st, it, s) { // it calls what variables hold, and that does not synchronize
		return next, nil
	}
	if n, ok := m.tripsOf(it); ok && n >= longLoop && m.computes(st, s) {
		return next, nil
	}
	items, ok := m.iterate(it, st)
	m.goesRound(int64(len(items)), false)
	if !ok {
		if !m.host && m.syncs(st) {
			m.stop(st, limit.RunTime, "loop over something that is not known before the kernel runs")
		}
		m.forgetLoop(st, it, s)
		return next, nil
	}
	defer m.asOften(it)()
	for _, v := range items {
		m.nextRound()
		m.assign(st.Target, v, s)
		if c, v := m.run(st.Body, s); c == breaks {
			return next, nil
		} else if c == returns {
			return c, v
		}
	}
	return m.run(st.Else, s)
}

// tripsOf is the number of iterations over a known range of a kernel in Python.
func (m *machine) tripsOf(it value.Value) (int64, bool) {
	r, ok := it.(value.RangeValue)
	if !ok || m.host {
		return 0, false
	}
	n, ok := m.settle(r.Span()).(value.Int)
	return int64(n), ok
}

// follow reports whether a loop or branch without synchronization is executed as an unknown says, which is then asked
// for. That is done only where a role cannot be evaluated otherwise: what it finds out decides what the role does, as where
// a scheduler looks for the next tile that is not empty.
func (m *machine) follow(st program.Stmt, test value.Value) bool {
	if _, ok := test.(value.Symbol); !ok || m.host || m.sampling {
		return false
	}
	m.in.passed[st] = true
	return m.in.low.followed[st]
}

// uncounted reports whether a range of the kernel has an extent that no value of an unknown gives.
func (m *machine) uncounted(it value.Value) bool {
	r, ok := it.(value.RangeValue)
	if !ok || m.host {
		return false
	}
	switch m.settle(r.Span()).(type) {
	case value.Int, value.Lanes, value.Symbol:
		return false
	}
	return true
}

// hostTrips bounds a while loop of the host side.
const hostTrips = 1024

func (m *machine) whileLoop(st *program.While, s *value.Scope) (control, value.Value) {
	if !m.host && m.polls(st) {
		over, test := m.spin(st, s)
		if over {
			return next, nil
		}
		if m.counted(st, test) {
			m.in.low.polling[st] = false
		} else {
			m.noteOpaque(st.Header, limit.Memory.Says("loop that polls memory in a way that is not understood"), true)
		}
	}
	if m.launch != nil && syntax.Forever(st.Cond) {
		m.endless++
		defer func() { m.endless-- }()
	}
	syncs := !m.host && m.syncs(st)
	last, found := "", ""
	if syncs {
		m.active = append(m.active, active{loop: st})
		defer func() { m.active = m.active[:len(m.active)-1] }()
	}
	if m.watch.repeats(st) {
		ended, c, v := m.watch.repeat(st, s)
		if ended {
			return m.run(st.Else, s)
		}
		return c, v
	}
	leave := func() {}
	defer func() { leave() }()
	var turn pace
	trips := int64(-1) // ≥ 0: iterations left of a loop whose test is a run-time unknown
	for trip := 0; ; trip++ {
		turn.next(m, st.Cond, s)
		test := m.eval(st.Cond, s)
		m.watch.tests(st, test)
		if !syncs && (trip > iteration.Longest || !m.decided(test) && !m.assembles(st, test) && !m.follow(st, test)) {
			m.forgetLoop(st, nil, s)
			return next, nil
		}
		found = m.follows(test, found, st.Cond)
		if trip <= 1 {
			leave()
			leave = m.asOften(test)
		}
		m.bounds(test)
		if sym, ok := test.(value.Symbol); ok && trips < 0 && !m.in.low.modelled(sym.Expr) {
			// The test is a library's yes or no (is_valid_tile), or has not changed since the last iteration: then
			// one answer for all iterations would be wrong, and the number of iterations is the unknown.
			if opaqueTest(sym.Expr) || sym.Expr.String() == last {
				count := &value.Expr{Atom: "trips of " + sym.Expr.String()}
				m.bounds(value.Symbol{Expr: count})
				m.watch.tests(st, value.Symbol{Expr: count})
				trips = max(0, m.resolve(count, false)-int64(trip))
			}
			last = sym.Expr.String()
		}
		switch {
		case trips > 0:
			trips--
		case trips == 0, trips < 0 && !m.truth(test, st.Cond):
			return m.run(st.Else, s)
		}
		if syncs {
			m.active[len(m.active)-1].trip = trip
			if trip == partRounds && m.in.low.short[st] {
				m.beyond(st)
			}
		}
		m.goesRound(int64(trip)+1, false)
		m.nextRound()
		if trip > maxTrips {
			m.stop(st, limit.Size, "loop of more than %d iterations", maxTrips)
		}
		if m.launch != nil && trip > hostTrips { // a search over values that are only assumed
			m.tookFor(st.Cond, false)
			return next, nil
		}
		inner := s
		if c, v := m.run(st.Body, inner); c == breaks {
			return next, nil
		} else if c == returns {
			return c, v
		}
	}
}

// opaqueTest reports whether a loop test is an unknown by itself.
func opaqueTest(e *value.Expr) bool {
	return e.Op == "" && !e.IsConst || e.Op == "!" && opaqueTest(e.X)
}

// polls reports whether a while loop only looks: its test and body hold loads, try_waits and sleeps, and at least one
// of them.
func (m *machine) polls(st *program.While) bool {
	l := m.in.low
	if n := len(l.byFile); l.polling == nil || l.pollsOf != n { // a new module may define more of what is called
		l.polling, l.pollsOf = map[*program.While]bool{}, n
	}
	yes, known := l.polling[st]
	if !known {
		yes = l.onlyLooks(m.mod, st)
		l.polling[st] = yes
	}
	return yes
}

// counted reports whether a loop polls for the brackets in its test alone, and these are of a shape or another tuple: memory
// that is polled is worth no number.
func (m *machine) counted(st *program.While, test value.Value) bool {
	switch test.(type) {
	case value.Int, value.Lanes, value.Symbol, value.Mixed:
	default:
		return false
	}
	for op := range m.in.low.opsDeep(m.mod, st) {
		if looksBy(op.Kind) {
			return false
		}
	}
	return true
}

// looksBy reports whether an operation of a kind asks what others may change.
func looksBy(kind dialect.Kind) bool {
	switch kind {
	case dialect.Load, dialect.MbarrierTryWait, dialect.MbarrierTestWait, dialect.AtomicCas, dialect.AtomicAdd, dialect.AtomicMax:
		return true
	}
	return false
}

func (l *lowering) onlyLooks(mod *value.Module, st *program.While) bool {
	looks, other := false, false
	for op := range l.opsDeep(mod, st) {
		if looksBy(op.Kind) {
			looks = true
			continue
		}
		switch op.Kind {
		case dialect.Nanosleep, dialect.Fence, dialect.Pure, dialect.TmemStoreWait, dialect.TmemLoadWait, dialect.Trap, dialect.Uniform, dialect.FenceProxy:
		default:
			if !op.Kind.Query() {
				return false
			}
		}
	}
	if !looks {
		// while (flag[0] < n) {} reads memory without any call.
		program.WalkExprs(st.Cond, func(e program.Expr) bool {
			switch e := e.(type) {
			case *program.Index:
				looks = true
			case *program.Unary:
				looks = looks || e.Op == "*"
			}
			return true
		})
		looks = looks && syntax.OnlyReads(st.Body)
	}
	program.WalkStmts(st.Body, func(s program.Stmt) bool {
		switch s.(type) {
		case *program.Asm:
			return false
		case *program.For, *program.OpaqueStmt:
			other = true
		}
		return true
	})
	return looks && !other
}

// spin turns a polling loop into the wait it stands for. It answers false when the loop turns out to be something else, with what
// it goes on for.
func (m *machine) spin(st *program.While, s *value.Scope) (over bool, test value.Value) {
	m.polling = true
	defer func() { m.polling = false }()
	if syntax.Forever(st.Cond) {
		exit, ok := m.spinBody(st, s)
		if !ok {
			return false, nil
		}
		test = exit
	}
	if test == nil {
		test = m.eval(st.Cond, s)
	} else if !syntax.Forever(st.Cond) && test == (value.None{}) {
		test = m.eval(st.Cond, s)
	}
	switch t := test.(type) {
	case value.TryResult:
		t.Peek.Use()
		if !t.Negated { // while (try_wait(…)) spins while the phase is complete: not a wait
			return false, test
		}
		m.wait(t.Bar, value.Int(t.Parity), st.Cond)
	case value.FlagTest:
		m.spinOn(t, st.Cond)
	default:
		return false, test
	}
	m.havoc(st, s)
	return true, nil
}

// spinBody runs the body of a do-while or endless spin once and gives the test under which it goes on; none when the
// loop's own condition says so.
func (m *machine) spinBody(st *program.While, s *value.Scope) (value.Value, bool) {
	for _, b := range st.Body {
		if cond, ok := b.(*program.If); ok && len(cond.Else) == 0 && syntax.EndsLoop(cond.Then) {
			return value.Unary("!", m.eval(cond.Cond, s)), true
		}
		switch b.(type) {
		case *program.Assign, *program.ExprStmt, *program.Asm:
			m.exec(b, s)
		default:
			return nil, false
		}
	}
	return value.None{}, true
}

// longLoop is the number of iterations from which a loop is looked at whether it only computes with registers.
const longLoop = 8

// computes runs a loop over a known range in one round where it only computes with what is not known anyway, as loops over
// the registers of a thread do: where a round with the loop's variable unknown records nothing, lets no lanes wait for each
// other, touches no tracked memory and changes nothing that was known, no other round would. It answers false, with nothing
// changed, where that is not so.
func (m *machine) computes(st *program.For, s *value.Scope) bool {
	if m.in.low.concrete[st] || m.surelySyncs(st) || syntax.Leaves(st.Body) || len(st.Else) > 0 {
		return false
	}
	before := m.capture(st, s)
	if before == nil {
		return false
	}
	k, lost := m.mark(), maps.Clone(m.in.lost)
	_, _, ok := m.speculate(k, func() (control, value.Value) { return m.round(st, st.Body, s) })
	last := len(m.blocks) - 1
	ok = ok && m.met == k.met && len(m.maybes) == k.maybes && len(m.in.lost) == len(lost) && len(m.blocks[last]) == len(k.last)
	if ok {
		ok = before.Join(before, func(a, b value.Value) value.Value {
			ok = ok && (value.Same(a, b) || provenance.Unknowable(a) && provenance.Unknowable(b))
			return b
		}) && ok
	}
	if !ok {
		before.Restore()
		m.undo(k)
		m.in.lost = lost
		m.in.low.concrete[st] = true
	}
	return ok
}

// A loop whose counter goes on by a stride, i += blockDim.x, goes round as often as its end has strides in it: an end of
// three elements is less than one round. So the ends of such loops are multiples of the stride, and a few elements
// more or less, where some threads go round once more than others.

// pace is how a loop's counter goes on: the sides of its test when it was asked last.
type pace struct{ x, y value.Value }

// next takes the sides of the test before a round. Where one goes on by a number, that is the stride of what is unknown of the two:
// of the end, or of where it began, as in left -= 128.
func (p *pace) next(m *machine, test program.Expr, s *value.Scope) {
	b := syntax.Comparison(test)
	if b == nil || m.host || m.watch != nil {
		return
	}
	old := *p
	*p = pace{m.eval(b.X, s), m.eval(b.Y, s)}
	if old.x == nil {
		return
	}
	m.goesOn(old.x, p.x, p.y)
	m.goesOn(old.y, p.y, p.x)
	m.goesOn(old.x, p.x, p.x)
	m.goesOn(old.y, p.y, p.y)
}

func (m *machine) goesOn(from, to, end value.Value) {
	e, ok := end.(value.Symbol)
	step, is := iteration.Apart(from, to)
	if !ok || !is || step == 1 || step == -1 || step == 0 {
		return
	}
	m.strideOf(e.Expr, max(step, -step))
}

// strideOf notes the stride in which a counter goes on to an end.
func (m *machine) strideOf(end *value.Expr, step int64) {
	for _, l := range value.Leaves(end, nil) {
		m.in.low.strides[l.String()] = true
	}
	m.space(end, step)
}
