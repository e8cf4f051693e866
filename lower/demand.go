package lower

import (
	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// The host side checks its arguments, and a launch is only reached where the checks pass. What was assumed for an
// unknown too early is put right here: values that let the check pass are looked for, and the driver starts again.

// again asks to run the driver once more, with what was learned.
type again struct{}

// maxAgain bounds the repairs of one driver.
const maxAgain = 16

// likely are the values tried for an unknown that a check does not like, after its value halved and halved again.
var likely = []int64{1, 2, 3, 4, 5, 8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 1024, 2048, 4096, 0}

// demands decides a branch one arm of which gives up: the other one is taken, with values for which that is right
// wherever there are such.
func (m *machine) demands(st *program.If, test value.Value) (choice, ok bool) {
	if m.launch == nil {
		return false, false
	}
	s, is := test.(value.Symbol)
	then, otherwise := syntax.GivesUp(st.Then), syntax.GivesUp(st.Else)
	if then == otherwise {
		return false, false
	}
	if !is && m.decided(test) {
		m.in.blamed = syntax.Mentions(nil).Of(st.Cond)
		return false, false
	}
	if is {
		m.holdsFor(s.Expr, otherwise)
	} else {
		m.in.assumed[checksPass] = inWords
	}
	return otherwise, true
}

const checksPass = "the host's checks pass"

// holdsFor makes a condition of the host side come out as it must.
func (m *machine) holdsFor(e *value.Expr, want bool) {
	good := func() bool {
		n, known := m.peek(e)
		return known && (n != 0) == want
	}
	if good() {
		return
	}
	if m.runTime(e) {
		m.in.give(e.String(), int64(value.Bool(want)))
		m.in.assumed[checksPass] = inWords
		return
	}
	m.resolve(e, true)
	if good() {
		return
	}
	for _, a := range m.leaves(e, nil) {
		old := m.in.values[a]
		for _, v := range append([]int64{old / 2, old / 4, old / 8}, likely...) {
			m.in.give(a, v)
			if good() && m.in.repairs < maxAgain {
				m.in.hints[a] = v
				panic(again{})
			}
		}
		m.in.give(a, old)
	}
	m.in.give(e.String(), int64(value.Bool(want)))
	m.in.assumed[checksPass] = inWords
}

// leaves are the unknowns of an expression.
func (m *machine) leaves(e *value.Expr, out []string) []string {
	switch {
	case e == nil || e.IsConst:
		return out
	case e.Op == "":
		return append(out, e.String())
	}
	return m.leaves(e.Y, m.leaves(e.X, out))
}
