package order

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
)

// Step is what threads of a CTA do one after the other at one command, in an execution that shows a finding.
type Step struct {
	Place   uint32
	CTA     int
	Threads []int  // in their CTA, sorted
	Text    string // what came of it
	After   []Standing
	Async   bool // it is an asynchronous copy, which completes at once here
}

// Standing is how a barrier stands; of an mbarrier, Shared is the byte of shared memory that it begins at, -1 of others.
type Standing struct {
	engine.Standing
	Shared int64
}

// Trace is an execution that shows a finding, as the replayer ran it: barriers alone, without accesses.
type Trace struct {
	Earlier int // steps that are left out at the beginning
	Steps   []Step
	Waiting []Step // the barriers that threads stand at when it ends
}

// Add appends a step; one at the command of the step before it, by other threads of the CTA, goes on with that.
func (t *Trace) Add(s Step) {
	if n := len(t.Steps); n > 0 && t.Steps[n-1].Place == s.Place && t.Steps[n-1].CTA == s.CTA && s.Threads != nil &&
		!slices.ContainsFunc(s.Threads, func(id int) bool { return slices.Contains(t.Steps[n-1].Threads, id) }) {
		last := &t.Steps[n-1]
		last.Threads, last.Text, last.After = append(slices.Clone(last.Threads), s.Threads...), s.Text, s.After
		slices.Sort(last.Threads)
		return
	}
	if len(t.Steps) == maxTrace {
		t.Steps = slices.Delete(t.Steps, 0, 1)
		t.Earlier++
	}
	t.Steps = append(t.Steps, s)
}

const (
	maxTrace = 24 // steps of one trace
	maxTold  = 4  // findings of each check that get a trace
)

// tracer gathers the steps of a replay.
type tracer struct {
	p    *Program
	many bool // CTAs
	out  Trace
	last Command          // of the step that is open
	seen map[int]struct{} // threads that have done it
}

// note takes down that a lane has executed a command; text says what came of it, after how the barrier stands.
func (t *tracer) note(warp, lane int, c *Command, text string, after []Standing) {
	w := t.p.Warps[warp]
	thread := w.First + lane
	text = c.Kind.String() + ": " + text
	if n := len(t.out.Steps); n > 0 && t.last.Kind == c.Kind && t.last.Place == c.Place && t.last.A == c.A && t.out.Steps[n-1].CTA == w.CTA {
		if _, again := t.seen[thread]; !again {
			s := &t.out.Steps[n-1]
			s.Threads, s.Text, s.After, t.seen[thread] = append(s.Threads, thread), text, after, struct{}{}
			return
		}
	}
	t.last, t.seen = *c, map[int]struct{}{thread: {}}
	t.out.Add(Step{Place: c.Place, CTA: w.CTA, Threads: []int{thread}, Text: text, After: after, Async: c.Kind == AsyncCopy})
}

// mbarrier says how an mbarrier stands.
func (t *tracer) mbarrier(address uint32, b *replayedMbar) (string, []Standing) {
	at := int64(address & (1<<offsetBits - 1))
	object := fmt.Sprintf("mbarrier at %#x", at)
	if t.p.CTAs > 1 {
		object += fmt.Sprintf(" of CTA %d", address>>offsetBits)
	}
	state := fmt.Sprintf("phase %d, %d of %d arrivals pending", b.phase, b.pending, b.expected)
	if b.tx != 0 {
		state += fmt.Sprintf(", %d bytes outstanding", b.tx)
	}
	return object + " is in " + state, []Standing{{engine.Standing{Object: object, State: state, Phase: int(b.phase), Come: int(b.expected - b.pending), Need: int(b.expected), Bytes: int(b.tx)}, at}}
}

// end says where the lanes of a replay stand.
func (x *replayer) end() Trace {
	out := &x.trace.out
	for i := range out.Steps {
		slices.Sort(out.Steps[i].Threads)
	}
	for i, w := range x.p.Warps {
		for l := range 32 {
			n := x.warps[i].next[l]
			if w.Lanes>>l&1 == 0 || int(n) >= len(w.Commands) || w.Commands[n].Kind.Access() {
				continue
			}
			c := &w.Commands[n]
			k := slices.IndexFunc(out.Waiting, func(s Step) bool { return s.Place == c.Place && s.CTA == w.CTA })
			if k < 0 {
				k = len(out.Waiting)
				text, after := x.standing(c, w.CTA)
				if c.Kind == MbarWait || c.Kind == MbarWaitToken {
					text += "; waits for its end"
				}
				out.Waiting = append(out.Waiting, Step{Place: c.Place, CTA: w.CTA, Text: c.Kind.String() + ": " + text, After: after})
			}
			out.Waiting[k].Threads = append(out.Waiting[k].Threads, w.First+l)
		}
	}
	for i := range out.Waiting {
		slices.Sort(out.Waiting[i].Threads)
	}
	return *out
}

// standing says what a thread finds at a command that it stands at.
func (x *replayer) standing(c *Command, cta int) (string, []Standing) {
	switch c.Kind {
	case NamedArrive, NamedSync:
		if b := x.named[namedKey{cta, c.A}]; b != nil {
			need, state := x.need(cta, b), "complete"
			if b.units < need {
				state = fmt.Sprintf("%d of %d threads", b.units, need)
			}
			return fmt.Sprintf("barrier %d has %d of %d threads", c.A, b.units, need), []Standing{{engine.Standing{Object: fmt.Sprintf("barrier %d of CTA %d", c.A, cta),
				State: state, Come: int(b.units), Need: int(need)}, -1}}
		}
		return fmt.Sprintf("nobody has come to barrier %d", c.A), nil
	case MbarWait, MbarWaitToken, MbarArrive, MbarDrop, MbarExpect, MbarComplete:
		if b := x.mbars[c.A]; b != nil {
			return x.trace.mbarrier(c.A, b)
		}
	case ClusterArrive, ClusterWait:
		text := fmt.Sprintf("%d of %d threads have arrived", x.cluster.arrived, x.threads)
		return text + " in the cluster's barrier", []Standing{{engine.Standing{Object: "cluster barrier", State: fmt.Sprintf("generation %d, %s", x.cluster.generation, text),
			Phase: int(x.cluster.generation), Come: int(x.cluster.arrived), Need: int(x.threads)}, -1}}
	}
	return "", nil
}
