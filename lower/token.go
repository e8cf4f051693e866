package lower

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// The result of a try_wait or test_wait may be kept and looked at later: a token (notes/cutedsl.md 3.2, R13). True
// says that the phase was complete when the barrier was asked; false says nothing, as an attempt may fail spuriously.

// onTry executes an if statement on a token. `if not token: wait` is the wait itself where it waits for what the token
// is about: if the attempt succeeded, the wait would pass. Any other branch is taken both ways, each in instances of
// its own.
func (m *machine) onTry(st *program.If, t value.TryResult, s *value.Scope) (control, value.Value) {
	t.Peek.Use()
	failed, done := st.Then, st.Else
	if !t.Negated {
		failed, done = done, failed
	}
	if !m.syncs(st) && !syntax.Leaves(st.Then) && !syntax.Leaves(st.Else) {
		return m.opaqueBranch(st, "", s)
	}
	if _, guessed := m.in.values[m.tryKey(st.Cond)]; guessed || m.syncs(&program.Block{Body: done}) || syntax.Leaves(done) || syntax.Leaves(failed) {
		if m.guess(t, st.Cond) {
			return m.arm(done, s)
		}
		return m.arm(failed, s)
	}
	start, seen, reading := len(m.ops), len(m.blocks[len(m.blocks)-1]), len(m.reading)+len(m.multiplied)
	m.arm(failed, s)
	if reading != len(m.reading)+len(m.multiplied) || !m.onlyWaits(start, seen, t, st) { // the outcome matters: the group runs again with one
		m.resolve(&value.Expr{Atom: m.tryKey(st.Cond)}, true)
		panic(split{parts: [][]int64{m.threads}})
	}
	if syntax.Assigns(st) {
		m.havoc(st, s)
	}
	return next, nil
}

// arm runs one side of a branch in the scope its language gives it.
func (m *machine) arm(arm []program.Stmt, s *value.Scope) (control, value.Value) {
	return m.run(arm, s)
}

// onlyWaits reports whether all that was recorded since start is a wait for what the token is about. Asynchronous reads
// that go on across it began before.
func (m *machine) onlyWaits(start, seen int, t value.TryResult, n program.Node) bool {
	if len(m.ops) == start {
		return false
	}
	b := m.mbarrier(t.Bar, n)
	for _, o := range m.ops[start:] {
		if o.Kind != protocol.Wait || o.Object != b || int64(o.Parity) != t.Parity {
			return false
		}
	}
	if len(m.blocks[start]) > seen {
		return false
	}
	return !slices.ContainsFunc(m.blocks[start+1:], func(list []protocol.Access) bool {
		return slices.ContainsFunc(list, func(a protocol.Access) bool { return !a.Async })
	})
}

// guess gives a token's attempt the outcome it has in this instance, asking for one when it has none yet. An attempt
// that succeeds passes the barrier: it is recorded as a wait where the token is looked at, which comes to the same as
// long as the barrier does not run two phases ahead of the thread, which is a property of its own.
func (m *machine) guess(t value.TryResult, n program.Node) bool {
	t.Peek.Use()
	key := m.tryKey(n)
	if m.tries == nil {
		m.tries = map[string]int{}
	}
	v := m.resolve(&value.Expr{Atom: key}, true)
	m.tries[m.tryPlace(n)]++
	if len(m.threads) > 1 {
		m.in.assumed["threads that take turns together see the same outcome of a try_wait"] = inWords
	}
	if v != 0 {
		m.wait(t.Bar, value.Int(t.Parity), n)
	}
	return v != 0
}

func (m *machine) tryPlace(n program.Node) string {
	f, at := m.place(n.Where())
	return fmt.Sprintf("the try_wait that %s:%d asks for", f.Source.Name, f.Source.Position(at.Start).Line)
}

const attemptTime = ", time "

// attempts counts the outcomes of every try_wait by the values that were searched: there may be hundreds at one place,
// one for each time and thread, which nobody wants to read one by one.
type attempts map[string]map[string]int

// add counts an unknown, and reports whether it is such an outcome.
func (a attempts) add(name, values string) bool {
	place, _, ok := strings.Cut(name, attemptTime)
	if !ok || !IsAttempt(name) {
		return false
	}
	if a[place] == nil {
		a[place] = map[string]int{}
	}
	a[place][values]++
	return true
}

func (a attempts) bounds() map[string]string {
	out := map[string]string{}
	for place, counts := range a {
		total := 0
		for _, n := range counts {
			total += n
		}
		var parts []string
		for _, values := range slices.Sorted(maps.Keys(counts)) {
			parts = append(parts, fmt.Sprintf("%s (%d of %d)", values, counts[values], total))
		}
		out[place] = strings.Join(parts, "; ")
	}
	return out
}

// IsAttempt reports whether an unknown is whether one attempt of a try_wait succeeds.
func IsAttempt(name string) bool { return strings.HasPrefix(name, "the try_wait that ") }

// tryKey names one outcome: by thread, place and how often it was asked for there.
func (m *machine) tryKey(n program.Node) string {
	return fmt.Sprintf("%s"+attemptTime+"%d, thread %d of CTA %d", m.tryPlace(n), m.tries[m.tryPlace(n)]+1, m.threads[0], m.cta)
}

// maybeToken joins the result of an attempt with no attempt: an attempt may fail, so it is as if one was made.
func maybeToken(a, b value.Value) (value.Value, bool) {
	if _, ok := a.(value.TryResult); !ok {
		a, b = b, a
	}
	t, ok := a.(value.TryResult)
	n, isNumber := b.(value.Int)
	return t, ok && isNumber && (n != 0) == t.Negated
}

// state is what an arrive returns: the phase it was counted in (PTX ISA 9.7.13.15.13). A wait may be for that phase.
type state struct {
	mbar   int
	parity int64
}

// arrival is the state that an arrive of the group returns. The thread's nth arrival is in the nth phase as long as it
// arrives once in each.
func (m *machine) arrival(mbar int) state {
	if m.arrivals == nil {
		m.arrivals = map[int]int64{}
	}
	m.arrivals[mbar]++
	return state{mbar, (m.arrivals[mbar] - 1) & 1}
}

// parity is the phase that a wait is for, given as a number or as the state of an earlier arrive.
func (m *machine) parity(v value.Value, mbar int, n program.Node) int64 {
	if s, ok := v.(state); ok {
		if s.mbar != mbar {
			m.stop(n, limit.Undefined, "wait for the arrive on another mbarrier")
		}
		m.in.assumed["a thread that waits for its own arrive has arrived once in each phase of the barrier"] = inWords
		return s.parity
	}
	return m.count(v, n, "the phase parity") & 1
}
