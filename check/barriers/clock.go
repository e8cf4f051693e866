package barriers

import (
	"cmp"
	"time"

	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir/exec"
)

// clock counts the work of an answer, in the time that it takes on one core of two gigahertz that nobody else has: what is said of a kernel must not depend on
// which machine says it, and on what else that does. The real time only cuts off.
type clock struct {
	spent, most time.Duration
	begin, cut  time.Time // of the real time; cut is zero where nothing is said of it
}

// What work takes. Measured on kernels of testdata and of public trees; how much memory is looked at by chance, and how the garbage is collected, is left out.
const (
	launchTime  = 50 * time.Microsecond
	commandTime = 3 * time.Microsecond // to order one with the others
	followTime  = 45 * time.Nanosecond // a step of a thread that is followed to find numbers
	compareTime = 25 * time.Nanosecond // two accesses, to tell races apart
	visitTime   = 60 * time.Nanosecond // an access, to find out who comes to an element before whom
)

func newClock(o order.Options) clock {
	c := clock{begin: time.Now(), most: o.Limits.Work}
	if c.most <= 0 {
		c.most = cmp.Or(o.Limits.Time, maxWork)
	}
	if o.Limits.Time > 0 {
		c.cut = c.begin.Add(o.Limits.Time)
	}
	return c
}

// ran counts an execution, and what is asked of it.
func (c *clock) ran(e *exec.Execution) {
	c.spent += launchTime + time.Duration(e.Steps)*exec.StepTime
	for _, w := range e.Program.Warps {
		c.spent += time.Duration(len(w.Commands)) * commandTime
	}
}

// compared counts what telling races apart took.
func (c *clock) compared(r *order.Result) { c.spent += time.Duration(r.Compared) * compareTime }

// followed counts steps of threads.
func (c *clock) followed(steps int) { c.spent += time.Duration(steps) * followTime }

// visited counts accesses of elements.
func (c *clock) visited(accesses int) { c.spent += time.Duration(accesses) * visitTime }

// left is the work that there still is for another run, of no more than most, if that is not zero.
func (c *clock) left(most time.Duration) time.Duration {
	left := max(c.most-c.spent, time.Millisecond)
	if most > 0 {
		left = min(left, most)
	}
	return left
}

func (c *clock) over() bool {
	return c.spent > c.most || !c.cut.IsZero() && time.Now().After(c.cut)
}

// real are limits with what is left of the real time.
func (c *clock) real(o order.Options) order.Options {
	if !c.cut.IsZero() {
		o.Limits.Time = max(time.Until(c.cut), time.Millisecond)
	}
	return o
}
