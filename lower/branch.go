package lower

import (
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// branch executes an if statement.
func (m *machine) branch(st *program.If, s *value.Scope) (control, value.Value) {
	outer := m.deciding
	m.deciding = st
	test := value.Unregistered(m.eval(st.Cond, s))
	m.deciding = outer
	if !m.host && !m.decided(test) {
		if body, ok := m.checked(st); ok {
			return m.run(body, s)
		}
	}
	_, unknown := test.(value.Data)
	if s, ok := test.(value.Symbol); ok && (syntax.Leaves(st.Then) || syntax.Leaves(st.Else)) {
		m.endsWith(s.Expr)
		m.laps(st, s)
	}
	met := m.met
	static := syntax.PicksText(st)
	if s, ok := test.(value.Symbol); ok && s.Expr.Op == "" && !m.host && m.watch == nil && m.syncs(st) {
		m.free(s.Expr)
	}
	if !m.host && !static && !m.decided(test) && (!m.surelySyncs(st) || unknown && m.onlyAsks(st)) && !m.follow(st, test) {
		if c, v, ok := m.both(st, test, s); ok {
			return c, v
		}
	}
	if !m.host && !static && !m.decided(test) && !m.tellsWarpsApart(test) && !m.in.low.followed[st] && !m.touches(st) && !syntax.Leaves(st.Then) && !syntax.Leaves(st.Else) && !m.divides(test, met) {
		m.havoc(st, s)
		return next, nil
	}
	if !m.host {
		switch t := test.(type) {
		case value.TryResult:
			return m.onTry(st, t, s)
		case value.Data:
			return m.opaqueBranch(st, "branch on data that is only known when the kernel runs", s)
		case value.Mixed:
			if !m.decided(t) && !m.syncs(st) && !syntax.Leaves(st.Then) && !syntax.Leaves(st.Else) && !m.divides(t, met) {
				m.havoc(st, s)
				return next, nil
			}
		case value.FlagTest, value.FlagValue:
			return m.opaqueBranch(st, "branch on a value that other threads change", s)
		}
	} else if _, ok := test.(value.Data); ok && m.launch == nil {
		return next, nil
	}
	body := st.Else
	if choice, forced := m.forced(st); forced {
		if choice {
			body = st.Then
		}
	} else if choice, demanded := m.demands(st, test); demanded {
		if choice {
			body = st.Then
		}
	} else if m.launch != nil && !m.decided(test) {
		if m.hostChoice(st, test) {
			body = st.Then
		}
	} else {
		yes := m.truth(test, st.Cond)
		m.conditionIs(st, st.Cond, s, test, yes)
		if m.cameOut(st, test, yes); yes {
			body = st.Then
		}
		if e, ok := value.Untyped(test).(value.Symbol); ok {
			outside := m.led
			m.led = append(outside[:len(outside):len(outside)], value.Answered{Test: e.Expr, Answer: yes})
			defer func() { m.led = outside }()
		}
	}
	return m.run(body, s)
}

// decided reports whether truth can answer without splitting the group or asking for an unknown.
func (m *machine) decided(v value.Value) bool {
	switch v := v.(type) {
	case value.Mixed:
		known, ok := m.known(v)
		return ok && m.decided(known) && m.inquiry == nil
	case value.Data, value.Register, value.FlagTest, value.FlagValue, value.TryResult:
		return false
	case value.Lanes:
		_, ok := value.TruthValue(v).(value.Int)
		return ok
	case value.Symbol:
		_, ok := m.peek(v.Expr)
		return ok && m.inquiry == nil // what is told must not depend on who asks first
	case value.Path:
		return false
	}
	return true
}

// tellsWarpsApart reports whether a test has an answer for each thread, the same for all of a warp. Warps that go different ways are
// told apart sooner or later; to forget what each leaves behind costs more than to do so here.
func (m *machine) tellsWarpsApart(test value.Value) bool {
	lanes, ok := test.(value.Lanes)
	if !ok {
		return false
	}
	answers := map[int64]int64{}
	for i, v := range lanes {
		warp, yes := m.threads[i]/32, int64(value.Bool(v != 0))
		if before, met := answers[warp]; met && before != yes {
			return false
		}
		answers[warp] = yes
	}
	return true
}

// opaqueBranch marks a branch that cannot be decided. Without synchronization in it, evaluation goes on with what it
// assigns unknown; with synchronization, the kernel cannot be modelled from here.
func (m *machine) opaqueBranch(st *program.If, why string, s *value.Scope) (control, value.Value) {
	if m.syncs(st) || syntax.Leaves(st.Then) || syntax.Leaves(st.Else) {
		m.stop(st.Cond, limit.DataBranch, "%s", why)
	}
	m.havoc(st, s)
	return next, nil
}

// forgetLoop gives up a loop that only computes or touches memory; one that may end the function decides more than that.
func (m *machine) forgetLoop(st program.Stmt, over value.Value, s *value.Scope) {
	if syntax.ReturnsFrom(syntax.BodyOf(st)) && !m.host {
		m.stop(st, limit.RunTime, "a loop that is only known when the kernel runs may end the function")
	}
	if m.host || !m.rounds(st, over, s) {
		m.havoc(st, s)
	}
}
