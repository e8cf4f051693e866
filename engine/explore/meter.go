package explore

import (
	"context"
	"fmt"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
)

// meter counts the work of a proof and says when it is too much. Work is counted, not seconds, so that an answer does
// not depend on the machine; the clock is there for whoever asks for a limit of time.
type meter struct {
	ctx   context.Context
	stop  time.Time
	work  int // micros executed, and what takes their time
	limit int
	next  int // work at which the clock is looked at again
	over  string
}

// clockEvery is how much work passes between two looks at the clock.
const clockEvery = 1 << 14

func newMeter(ctx context.Context, lim engine.Limits, stop time.Time) *meter {
	return &meter{ctx: ctx, stop: stop, limit: lim.Proof * microsPerState}
}

// spend counts work, and reports whether a limit is reached.
func (m *meter) spend(n int) bool {
	m.work += n
	if m.over == "" && m.work >= m.next {
		m.next = min(m.work+clockEvery, m.limit+1)
		switch {
		case m.work > m.limit:
			m.over = fmt.Sprintf("the work of %s states", number(m.limit/microsPerState))
		case m.ctx.Err() != nil:
			m.over = "cancellation"
		case time.Now().After(m.stop):
			m.over = "the limit of time"
		}
	}
	return m.over != ""
}

// microsPerState is how many steps of frozen runs take the time of one state of a search.
const microsPerState = 32

// states is the work as limits count it.
func (m *meter) states() int { return 1 + m.work/microsPerState }
