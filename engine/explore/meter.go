package explore

import (
	"context"
	"fmt"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
)

// clock says when to stop whatever is not done.
type clock struct {
	ctx  context.Context
	stop time.Time
}

// clockFor is a clock for someone who begins now.
func clockFor(ctx context.Context, lim engine.Limits) clock {
	return clock{ctx, time.Now().Add(withDefaults(lim).Time)}
}

// ended is why to stop; "" while there is time. It does not say how much there was, as that depends on what came before.
func (c clock) ended() string {
	switch {
	case c.ctx.Err() != nil:
		return "cancellation"
	case time.Now().After(c.stop):
		return "the limit of time"
	}
	return ""
}

// meter counts the work of a proof and says when it is too much. Work is counted, not seconds, so that an answer does
// not depend on the machine; the clock is there for whoever asks for a limit of time. Of memory it counts the tables that
// grow with more than the protocol does.
type meter struct {
	clock
	work   int // micros executed, and what takes their time
	limit  int
	next   int // work at which the clock is looked at again
	over   string
	held   int64 // bytes of tables
	memory int64
}

// clockEvery is how much work passes between two looks at the clock.
const clockEvery = 1 << 14

func newMeter(ctx context.Context, lim engine.Limits, stop time.Time) *meter {
	lim = withDefaults(lim)
	return &meter{clock: clock{ctx, stop}, limit: lim.Proof * microsPerState, memory: lim.Memory}
}

// hold counts bytes that are kept, and reports whether there is room for them.
func (m *meter) hold(bytes int) bool {
	if m.held+int64(bytes) > m.memory {
		return false
	}
	m.held += int64(bytes)
	return true
}

// full says which limit hold has met.
func (m *meter) full() string { return memoryLimit(m.memory) }

func memoryLimit(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("the limit of %d KiB of memory", bytes>>10)
	}
	return fmt.Sprintf("the limit of %d MiB of memory", bytes>>20)
}

// spend counts work, and reports whether a limit is reached.
func (m *meter) spend(n int) bool {
	m.work += n
	if m.over == "" && m.work >= m.next {
		m.next = min(m.work+clockEvery, m.limit+1)
		if m.over = m.ended(); m.work > m.limit {
			m.over = fmt.Sprintf("the work of %s states", number(m.limit/microsPerState))
		}
	}
	return m.over != ""
}

// microsPerState is how many steps of frozen runs take the time of one state of a search.
const microsPerState = 32

// states is the work as limits count it.
func (m *meter) states() int { return 1 + m.work/microsPerState }
