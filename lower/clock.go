package lower

import (
	"context"
	"time"
)

// Steps bound what evaluation may take, so that a file gives the same answer on every machine. Who gives a limit of time wants
// an answer by then, whichever it is.

// clock ends the evaluation of a kernel.
type clock struct {
	ctx   context.Context // may be nil
	limit time.Duration   // that a kernel may take; 0: as long as it takes
	until time.Time
	ticks uint
	over  bool // nothing is evaluated any more
}

// ticksPerLook is how many steps are made from one look at the clock to the next.
const ticksPerLook = 256

// start gives a kernel its time.
func (c *clock) start(limit time.Duration) {
	c.limit, c.over, c.ticks = limit, false, 0
	c.until = time.Now().Add(limit)
}

// out reports whether evaluation is to end.
func (c *clock) out() bool {
	if !c.over && c.ticks%ticksPerLook == 0 {
		c.over = c.ctx != nil && c.ctx.Err() != nil || c.limit > 0 && time.Now().After(c.until)
	}
	c.ticks++
	return c.over
}

const timeIsUp = "the time limit was reached while the kernel was evaluated; --limit-time raises it"

// Within gives Instance and Grows the time that is left for a kernel, if that is limited.
func (k *Kernel) Within(left time.Duration) {
	if k.family != nil {
		k.family.l.clock.start(left)
	}
}
