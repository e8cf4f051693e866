package order

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/fencepost-dev/fencepost/limit"
)

// run is one execution of a program, with the clocks of happens-before and all checks done on the way.
type run struct {
	p       *Program
	o       Options
	strands []*strand
	events  [][]int32 // of the warps, for those who run findings again
	ofWarp  [][]*strand
	dims    int
	behind  int // where the half of a clock begins that says what is done with and seen; 0: the same as the first half
	threads int
	memory  int64
	limit   int64
	until   time.Time

	named     map[namedKey]*namedBarrier
	allNamed  []*namedBarrier // in the order of their first uses
	objects   map[uint32]*object
	order     []*object // in the order of their dimensions
	joints    map[jointKey]*joint
	cluster   clusterBarrier
	meetings  bool // there is a WarpMeet
	ctas      []ctaState
	tokens    map[tokenKey]int32 // phase that the arrive with a token contributed to, by strand and index
	waited    map[tokenKey]bool  // arrives whose token something waits with
	cells     *cells
	lastNamed []int // by strand, index of its last command on a named barrier
	queue     []*strand
	queued    []bool
	failed    bool // what was found makes happens-before that of this execution only
	stopped   bool // an error after which the execution means nothing

	findings []Finding
	found    [Checks]int
	sure     [Checks]int // findings that running them again showed
	unsure   [Checks]int // those that it did not
	timed    bool        // one of them is a race of lanes that an exchange of values orders in time
	schedule []turn
	barriers int
	graph    *graphing
	short    limit.Reason // why the answer is inconclusive
}

// turn is a strand that went on until before the command at an index.
type turn struct{ strand, to int32 }

// tokenKey is an arrive of a strand.
type tokenKey struct {
	strand int
	index  uint32
}

// ctaState is how many threads of a CTA have not exited, as named barriers count them, and what comes before their exits.
type ctaState struct {
	live, all int
	gone      int // strands that have exited
	exits     gathering
}

// What a run takes unless it is told otherwise.
const (
	defaultMemory = 1 << 30
	defaultTime   = time.Minute
)

func newRun(p *Program, o Options) *run {
	r := &run{p: p, o: o, named: map[namedKey]*namedBarrier{}, objects: map[uint32]*object{}, joints: map[jointKey]*joint{},
		tokens: map[tokenKey]int32{}, waited: map[tokenKey]bool{}}
	if r.limit = o.Limits.Memory; r.limit == 0 {
		r.limit = defaultMemory
	}
	if o.Limits.Time == 0 {
		o.Limits.Time = defaultTime
	}
	r.until = time.Now().Add(o.Limits.Time)
	return r
}

// Verify decides a program.
func Verify(p *Program, o Options) *Result {
	start := time.Now()
	r := newRun(p, o)
	out := &Result{}
	if err := p.Validate(); err != nil {
		r.short = limit.Internal.Says(err.Error())
	} else if r.prepare(); r.short.Code == 0 {
		r.execute()
		r.finish(out)
	}
	r.answer(out)
	out.Elapsed = time.Since(start)
	return out
}

// prepare divides the warps into strands, gives clocks their dimensions and cuts memory into cells.
func (r *run) prepare() {
	r.divide()
	r.queued = make([]bool, len(r.strands))
	r.ctas = make([]ctaState, r.p.CTAs)
	for i, w := range r.p.Warps {
		n := bits.OnesCount32(w.Lanes)
		if r.p.WholeWarps {
			n = 32
		}
		r.ctas[w.CTA].live += n
		r.ctas[w.CTA].all += n
		r.cluster.live += bits.OnesCount32(w.Lanes)
		for c := range w.Commands {
			r.know(i, &w.Commands[c])
		}
		r.divergent(i)
	}
	for _, b := range r.order {
		b.start()
	}
	for _, o := range r.p.Objects {
		b := r.object(o.Address)
		b.live, b.given, b.armed, b.count = true, true, o.Armed, int64(o.Count)
		b.start()
	}
	r.layDims()
	r.lastNamed = make([]int, len(r.strands))
	for _, s := range r.strands {
		r.lastNamed[s.id] = -1
		for i := range r.p.Warps[s.warp].Commands {
			c := &r.p.Warps[s.warp].Commands[i]
			if c.Mask&s.lanes != 0 && (c.Kind == NamedArrive || c.Kind == NamedSync) {
				r.lastNamed[s.id] = i
			}
		}
	}
	r.cells = newCells(r)
}

// divergent reports the aligned barriers of a warp that lanes which go on afterwards do not run (PTX ISA 9.7.13.1).
func (r *run) divergent(warp int) {
	w := r.p.Warps[warp]
	var last [32]int
	for i := range w.Commands {
		for m := w.Commands[i].Mask; m != 0; m &= m - 1 {
			last[bits.TrailingZeros32(m)] = i
		}
	}
	for i := range w.Commands {
		c := &w.Commands[i]
		if c.Flags&Aligned == 0 || c.Mask == w.Lanes {
			continue
		}
		for m := w.Lanes &^ c.Mask; m != 0; m &= m - 1 {
			if l := bits.TrailingZeros32(m); last[l] > i {
				r.report(Divergence, c.A, fmt.Sprintf("%s.aligned is run by part of a warp only, and thread %d goes on elsewhere; expected all threads of the warp", c.Kind, w.First+l),
					Point{Warp: warp, Index: i, Lane: bits.TrailingZeros32(c.Mask), Place: c.Place}, Point{Warp: warp, Index: last[l], Lane: l, Place: w.Commands[last[l]].Place})
				return
			}
		}
	}
}

// know takes down what a command needs before anything runs: objects, and arrives whose tokens matter.
func (r *run) know(warp int, c *Command) {
	switch c.Kind {
	case MbarInit:
		if b := r.object(c.A); b.count == 0 {
			b.count, b.armed = int64(c.B), c.Flags&Armed != 0
		}
	case MbarInval, MbarArrive, MbarDrop, MbarExpect, MbarComplete, MbarWait, AsyncArrive:
		r.object(c.A)
	case MbarWaitToken:
		r.object(c.A)
		for _, s := range r.ofWarp[warp] {
			r.waited[tokenKey{s.id, c.C}] = true
		}
	case WarpMeet:
		r.meetings = true
	case AsyncCopy:
		for _, e := range r.p.Warps[warp].copies[c.C].Effects {
			r.object(e.Mbar)
		}
	}
}

// layDims numbers the dimensions of clocks: strands, objects, and what strands know of their asynchronous operations.
func (r *run) layDims() {
	r.dims = len(r.strands)
	for _, b := range r.order {
		b.dim = r.dims
		r.dims++
	}
	for _, s := range r.strands {
		w := r.p.Warps[s.warp]
		for i := range w.Commands {
			c := &w.Commands[i]
			if c.Mask&s.lanes == 0 || c.Kind != AsyncWait && c.Kind != AsyncArrive {
				continue
			}
			u := c.C
			if c.Flags&ReadsDone != 0 {
				u += uint32(units)
			}
			for _, u := range [2]uint32{u, c.C%uint32(units) + uint32(units)} {
				if s.doneDim[u] == 0 {
					s.doneDim[u] = int32(r.dims)
					r.dims++
				}
			}
		}
	}
	if r.meetings {
		r.behind = r.dims
		r.dims *= 2
	}
}

// execute runs every strand as far as it comes, until nobody gets on.
func (r *run) execute() {
	r.queue = append(r.queue, r.strands...)
	for i := range r.queued {
		r.queued[i] = true
	}
	for len(r.queue) > 0 && !r.stopped && r.short.Code == 0 {
		s := r.queue[0]
		r.queue = r.queue[1:]
		r.queued[s.id] = false
		r.advance(s)
		to := int32(s.next)
		if !r.queued[s.id] {
			to++ // it has come to the command that it waits at
		}
		r.schedule = append(r.schedule, turn{int32(s.id), to})
		r.memory += 8
		r.bound()
	}
}

// bound stops a run at its limits.
func (r *run) bound() {
	switch {
	case r.short.Code != 0:
	case r.memory > r.limit:
		r.short = limit.Size.Sayf("the clocks of %d strands take more than %d MiB; raise --limit-memory", len(r.strands), r.limit>>20)
	case time.Now().After(r.until):
		r.short = limit.Time.Says("the time limit was reached; raise --limit-time")
	}
}

// wake lets a strand go on.
func (r *run) wake(s *strand) {
	if !r.queued[s.id] {
		r.queued[s.id] = true
		r.queue = append(r.queue, s)
	}
}

// advance runs a strand until it blocks or ends.
func (r *run) advance(s *strand) {
	w := r.p.Warps[s.warp]
	for s.next < len(w.Commands) && !r.stopped && r.short.Code == 0 {
		c := &w.Commands[s.next]
		if c.Mask&s.lanes == 0 {
			s.next++
			continue
		}
		switch {
		case c.Kind.Access():
			r.cells.access(s, c, int32(s.next+1))
			s.next++
		case !r.step(s, c, int32(s.next+1)):
			return
		default:
			s.next++
		}
	}
	if s.next == len(w.Commands) && !r.stopped && r.short.Code == 0 {
		s.next++
		r.exit(s)
	}
}

// step runs a barrier command; false if it blocks, or has moved the strand on itself.
func (r *run) step(s *strand, c *Command, pos int32) bool {
	if c.Kind != WarpMeet {
		s.met = 0
	}
	switch c.Kind {
	case NamedArrive, NamedSync, WarpSync, WarpMeet:
		return r.meet(s, c, pos)
	case ClusterArrive:
		return r.clusterArrive(s, c, pos)
	case ClusterWait:
		return r.clusterWait(s, c, pos)
	case MbarInit, MbarInval:
		r.lifetime(s, c, pos)
	case MbarArrive, MbarDrop, MbarExpect, MbarComplete:
		r.contribute(s, c, pos)
	case MbarWait, MbarWaitToken:
		return r.wait(s, c, pos)
	case AsyncCopy:
		r.issue(s, c, pos)
	case AsyncArrive:
		r.arriveWhenDone(s, c, pos)
	case AsyncCommit:
		s.groups[c.C] = append(s.groups[c.C], pos)
	case AsyncWait:
		r.waitGroup(s, c)
	}
	return true
}

// exit lets a strand end: barriers that wait for all threads that have not exited wait no longer for it (PTX ISA 9.7.13.1).
func (r *run) exit(s *strand) {
	cta := &r.ctas[s.cta]
	n := bits.OnesCount32(s.lanes)
	r.cluster.live -= n
	if s.cluster == 1 {
		r.cluster.arrived -= n
	}
	cta.gone++
	cta.exits.add(r, s, int32(s.next))
	r.cluster.exits.add(r, s, int32(s.next))
	if !r.p.WholeWarps {
		cta.live -= n
	} else if r.warpOver(s.warp) {
		cta.live -= 32
	}
	r.wideMet(s.cta)
	r.clusterMet()
}

// warpOver reports whether all strands of a warp have exited.
func (r *run) warpOver(warp int) bool {
	for _, s := range r.ofWarp[warp] {
		if s.next <= len(r.p.Warps[warp].Commands) {
			return false
		}
	}
	return true
}
