package thread

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Recorded is what the threads of a kernel do, as a protocol, and what of that is not in it.
type Recorded struct {
	*protocol.Protocol
	Shared *Left          // the first access of shared memory that is not in the protocol
	Global *Left          // the first of global memory
	Lanes  *Left          // the first exchange of values among lanes, which is a barrier of them here and orders no memory (PTX ISA 9.7.9.6)
	Waits  map[int32]bool // the reads that threads surely wait at, with some of the numbers that a flag may hold
}

// Left is a place of the kernel, and why.
type Left struct {
	Place *ir.Place
	Why   string
}

// Limits against hostile input.
const (
	maxTurns  = 1 << 21 // steps of all threads
	turnTime  = 2 * time.Microsecond
	turnInsts = 16 // instructions that take as long as one does besides
	maxEvents = 1 << 20
	maxTried  = 1 << 16 // steps that are made to see with which values a thread goes on
)

// Record has the threads take turns until all have ended, and tells what they did as a protocol: what is a straight line of each thread
// there is one in every execution. A flag is a word that threads wait for, or access strongly. That a thread reads one says nothing
// about the rest of its line if it does the same whatever it finds there, of all that the word may ever hold; or if it does the same with some of these values, and
// reads again with the others: it waits. Where what it finds makes another difference, Record fails. All other memory has one value wherever it is
// read, as long as there is no race: engines find whether there is one.
//
// It ends with an error where they make more steps than can be made in so much time on one machine, which are counted; 0: as many as it takes.
func (s *System) Record(most time.Duration) (*Recorded, error) {
	left := maxTurns
	if most > 0 {
		left = int(min(int64(most/turnTime), maxTurns))
	}
	at := left
	defer func() { s.Spent = time.Duration(at-left) * turnTime }()
	for range maxCells {
		r := &recorder{System: s, threads: make([]line, s.threads), flags: s.flags, turns: &left}
		switch out, err := r.record(); {
		case errors.Is(err, ErrAgain):
			s.Again()
		default:
			return out, err
		}
	}
	return nil, errors.New("what it keeps in memory is not found out")
}

// recorder follows the threads.
type recorder struct {
	*System
	threads []line
	flags   map[cell]int64 // their bytes
	events  int
	tried   int
	out     Recorded
	failure error
	turns   *int // turns that they may take
	flow    *ir.Flow
	loops   []*ir.Loop
	leaves  bool // see step
}

// line is what a thread has done.
type line struct {
	events  []event
	entered []int64 // what the thread was when it began to read a flag again and again; nil: it does not
	during  []event // what it accesses in these rounds
	reads   event   // the read
	has     []cell  // the flags that it has swapped and not stored to since: locks
}

// event is an access, or an operation.
type event struct {
	place   uint32
	what    what
	of      cell
	size    int64
	write   bool
	strong  bool
	maybe   bool
	value   value       // of a write
	op      protocol.Op // without its object
	named   protocol.Named
	entered []int64 // of an operation on a flag: what the thread was before it, in the first round
}

// at is the instruction that an operation on a flag is of.
func (e *event) at() int64 { return e.entered[slotPC] }

type what uint8

const (
	access what = iota
	flag
	named
	grid
	clusters
	fence
	nothing // an operation that makes no difference
)

func (r *recorder) record() (*Recorded, error) {
	state := r.Start()
	for moved := true; moved; {
		moved = false
		for t := range r.threads {
			for !r.Ended(state, t) && state[t*r.size+slotWait] == 0 {
				if *r.turns--; *r.turns < 0 {
					return nil, fmt.Errorf("%s: its threads take more turns than are followed", r.kernel.Name)
				}
				before := r.executed
				waits, err := r.turn(state, t)
				*r.turns -= (r.executed - before) / turnInsts
				if err != nil {
					return nil, err
				}
				if waits {
					break
				}
				moved = true
			}
		}
	}
	for t := range r.threads {
		if l := &r.threads[t]; l.entered != nil {
			l.reads.entered = l.entered
			l.events = append(append(l.events, l.during...), l.reads)
		}
	}
	return r.build(state)
}

// turn makes a step of a thread, and reports whether it is to read the same flag again.
func (r *recorder) turn(state []int64, t int) (waits bool, err error) {
	l := &r.threads[t]
	own := state[t*r.size : (t+1)*r.size]
	before, n := slices.Clone(own), len(l.events)
	if err := r.step(state, t); err != nil {
		return false, err
	}
	if r.failure != nil {
		return false, r.failure
	}
	if len(l.events) == n || l.events[n].what != flag {
		return false, nil
	}
	e := &l.events[n]
	if e.op.Kind.Polls() && r.again(before, own) {
		for _, v := range l.events[n+1:] {
			if v.what == access && !slices.ContainsFunc(l.during, func(o event) bool { return o.place == v.place && o.of == v.of }) {
				l.during = append(l.during, v)
			}
		}
		l.reads = *e
		if e.op.Kind == protocol.FlagSwap {
			l.gives(e.of)
		}
		if l.events = l.events[:n]; l.entered == nil {
			l.entered = before
		}
		return true, nil
	}
	if e.entered = before; l.entered != nil {
		e.entered = l.entered
	}
	if l.entered = nil; len(l.during) > 0 {
		l.events = slices.Insert(l.events, n, l.during...)
		l.during = nil
	}
	return false, nil
}

// takes and gives keep the flags that a thread has swapped and not stored to since.
func (l *line) takes(c cell) {
	if !slices.Contains(l.has, c) {
		l.has = append(l.has, c)
	}
}

func (l *line) gives(c cell) { l.has = slices.DeleteFunc(l.has, func(o cell) bool { return o == c }) }

// again reports whether a step that read a flag ended before the next read of it in the same round of all but the innermost loop around it.
func (r *recorder) again(before, after []int64) bool {
	return !r.leaves && after[slotPC] == before[slotPC] && after[slotWait] == 0 && slices.Equal(after[slotStack:slotStack+r.depth], before[slotStack:slotStack+r.depth])
}

// step makes a step of a thread, and takes note of whether it leaves the innermost loop around the instruction that it begins with.
func (r *recorder) step(state []int64, t int) error {
	pc := state[t*r.size+slotPC]
	var loop *ir.Loop
	if r.flow == nil {
		r.flow, r.loops = r.kernel.Flow(), r.kernel.Loops()
	}
	if pc < r.end() {
		for _, l := range r.loops {
			if l.Has(r.flow.BlockOf(int32(pc))) && (loop == nil || len(l.Blocks) < len(loop.Blocks)) {
				loop = l
			}
		}
	}
	r.leaves = loop == nil
	depth := -1
	r.watch = func(e *thread, in *ir.Inst) {
		if depth < 0 {
			depth = len(e.stack)
		}
		r.leaves = r.leaves || len(e.stack) <= depth && !loop.Has(r.flow.BlockOf(int32(e.pc)))
		r.see(e, in)
	}
	defer func() { r.watch = nil }()
	return r.advance(state, t)
}

func (r *recorder) fail(in *ir.Inst, why string) {
	if r.failure == nil {
		r.failure = r.System.fail(in, why)
	}
}

func (r *recorder) left(at **Left, in *ir.Inst, why string) {
	if *at == nil {
		*at = &Left{Place: &r.kernel.Places[in.Place], Why: why}
	}
}

// add appends an event of a thread.
func (r *recorder) add(e *thread, in *ir.Inst, v event) {
	if r.events++; r.events > maxEvents {
		r.fail(in, fmt.Sprintf("its threads do more than %d things", maxEvents))
		return
	}
	v.place, v.maybe = in.Place, v.maybe || e.maybe
	r.threads[e.t].events = append(r.threads[e.t].events, v)
}

// see takes note of an instruction before it is executed.
func (r *recorder) see(e *thread, in *ir.Inst) {
	switch {
	case in.Op == ir.Load || in.Op == ir.Store || in.Op == ir.Atomic:
		r.access(e, in)
	case in.Op == ir.Fence:
		if in.Mode == ir.NoProxy {
			r.add(e, in, event{what: fence, op: protocol.Op{Scope: scopeOf(in.Scope)}})
		}
	case in.Op == ir.BarrierCTA:
		id, count := e.read(in.A), e.read(in.B)
		kind := protocol.NamedSync
		if in.Flags&ir.Arrives != 0 {
			kind = protocol.NamedArrive
		}
		r.add(e, in, event{what: named, op: protocol.Op{Kind: kind}, named: protocol.Named{ID: int(id.n), CTA: r.cta(e.t), Threads: int(count.n)}})
	case in.Op == ir.BarrierCluster:
		kind, of := protocol.ClusterWait, clusters
		if in.Scope == ir.ScopeGPU {
			kind, of = protocol.Spin, grid
		}
		if in.Flags&ir.Arrives != 0 {
			if kind = protocol.ClusterArrive; of == grid {
				kind = protocol.FlagAdd
			}
		}
		r.add(e, in, event{what: of, op: protocol.Op{Kind: kind}})
	case in.Op == ir.BarrierWarp || in.Flags&ir.Meets != 0:
		r.lanes(e, in)
	case in.Op.Does(ir.Counts):
		r.fail(in, "flags in memory beside mbarriers are not followed together")
	case in.Op == ir.Outside:
		r.left(&r.out.Shared, in, in.Extra.Text+": nothing is known of what it accesses")
		r.left(&r.out.Global, in, in.Extra.Text+": nothing is known of what it accesses")
	case in.Op.Does(ir.Reads | ir.Writes):
		r.left(&r.out.Shared, in, "what it accesses is not followed thread by thread")
		r.left(&r.out.Global, in, "what it accesses is not followed thread by thread")
	}
}

// lanes takes note of where lanes of a warp meet.
func (r *recorder) lanes(e *thread, in *ir.Inst) {
	mask := integer(-1)
	if in.Members != ir.None {
		mask = e.read(in.Members)
	}
	warp, there := e.t%r.block/ir.Lanes, uint32(mask.n)
	if rest := r.block - warp*ir.Lanes; rest < ir.Lanes {
		there &= 1<<rest - 1
	}
	op := protocol.Op{Kind: protocol.NamedSync}
	if in.Op != ir.BarrierWarp {
		op.Order = "relaxed"
		r.left(&r.out.Lanes, in, "lanes exchange values here, which orders no memory")
	}
	r.add(e, in, event{what: named, of: cell{at: int64(there)}, op: op,
		named: protocol.Named{ID: protocol.WarpBarrier + warp, CTA: r.cta(e.t), Threads: bits.OnesCount32(there)}})
}

// access takes note of an access of memory that others may access.
func (r *recorder) access(e *thread, in *ir.Inst) {
	o, at, known := e.target(in, in.A, in.Offset)
	if o == local || o == constant {
		return
	}
	writes := in.Op != ir.Load
	if !known {
		what := &r.out.Global
		if in.Space == ir.Shared || o == shared {
			what = &r.out.Shared
		} else if o == nowhere && in.Space == ir.Generic {
			r.left(&r.out.Shared, in, "where it accesses memory is not known")
		}
		r.left(what, in, "where it accesses memory is not known")
		return
	}
	v := event{what: access, of: e.cell(o, at), size: int64(in.Size), write: writes, strong: in.Strong()}
	if v.of.at < 0 || v.of.at+v.size >= 1<<ir.RankBits {
		r.left(&r.out.Global, in, "it accesses memory before where a pointer leads, or far behind")
		return
	}
	if in.Op == ir.Store && in.Extra == nil {
		v.value = e.read(in.B)
	}
	if r.guards(e, in, v.of) { // who looks without the lock, first, may be about to take it
		v.strong, v.maybe = false, !writes && in.Order == ir.Volatile && len(r.threads[e.t].has) == 0
	}
	if r.failure != nil {
		return
	}
	if e.polls[in] && e.shuffled[v.of] {
		r.fail(in, "what is written to a flag is not known")
		return
	}
	if !e.objects[o].tracked || r.System.guarded[v.of] || e.shuffled[v.of] {
		r.add(e, in, v)
		return
	}
	size, is := r.flags[v.of]
	switch {
	case !is && (v.strong || e.polls[in]):
		for f, n := range r.flags {
			if f.object == v.of.object && f.owner == v.of.owner && f.at < v.of.at+v.size && v.of.at < f.at+n {
				r.fail(in, "a flag is accessed by other bytes elsewhere")
				return
			}
		}
		if e.maybe {
			r.fail(in, "whether it accesses a flag is not known here")
			return
		}
		r.System.flags[v.of] = v.size
		r.failure = ErrAgain
		return
	case !is:
		r.add(e, in, v)
		return
	case size != v.size || in.Extra != nil && in.Op != ir.Atomic:
		r.fail(in, "a flag is accessed by other bytes elsewhere")
		return
	case e.maybe:
		r.fail(in, "whether it accesses a flag is not known here")
		return
	}
	if in.Scope == ir.ScopeSys && in.Order != ir.Volatile {
		r.fail(in, "it is for all of the system, and what other GPUs, or the host, write there is not known")
		return
	}
	if !v.strong && o != shared { // of shared memory that is looked at (builder.mixed)
		r.left(&r.out.Global, in, "a flag is accessed here as if nobody else did at the same time")
	}
	v.what = flag
	v.op = protocol.Op{Kind: protocol.Spin, Order: in.Order.String(), Scope: scopeOf(in.Scope)}
	if in.Order == ir.Volatile { // as relaxed, for all that see the memory (PTX ISA 8.4)
		v.op.Order, v.op.Scope = "relaxed", "sys"
	}
	if writes {
		if r.change(e, in, &v); r.failure != nil {
			return
		}
	}
	switch l := &r.threads[e.t]; v.op.Kind {
	case protocol.FlagSwap:
		l.takes(v.of)
	case protocol.FlagStore:
		l.gives(v.of)
	}
	r.add(e, in, v)
}

// guards reports whether a word is data of a lock: threads access it as volatile while they have one, and nobody waits for it, or changes it by an
// atomic operation. That a lock is taken for such accesses says that no others are to be beside them; they are no flags then.
func (r *recorder) guards(e *thread, in *ir.Inst, of cell) bool {
	data, met := r.System.guarded[of]
	switch {
	case in.Op == ir.Atomic || e.polls[in] || in.Order != ir.Volatile && in.Order != ir.Weak:
		if data {
			r.failure = ErrAgain
		}
		r.System.guarded[of] = false
		return false
	case !met && in.Order == ir.Volatile && len(r.threads[e.t].has) > 0:
		if _, flag := r.flags[of]; flag {
			delete(r.System.flags, of)
			r.failure = ErrAgain
		}
		r.System.guarded[of] = true
		return true
	}
	return data
}

// change is what a write does to a flag.
func (r *recorder) change(e *thread, in *ir.Inst, v *event) {
	by := e.read(in.B)
	if !by.known() {
		r.unfollowed(in, v, "what it writes to a flag is not known here")
		return
	}
	n := in.Type.Bring(by.n)
	if in.Op == ir.Store {
		v.op.Kind, v.op.Count = protocol.FlagStore, int(n)
		return
	}
	switch op := in.Named(); {
	case op == "add" && n == 0 || op == "or" && n == 0 || op == "cas" && e.read(in.C) == by: // reads
	case op == "add":
		v.op.Kind, v.op.Count = protocol.FlagAdd, int(ir.Type{Bits: in.Type.Bits, Signed: true}.Bring(by.n))
	case op == "inc" && uint64(n) > maxEvents: // never comes that far
		v.op.Kind, v.op.Count = protocol.FlagAdd, 1
	case op == "exch" && !e.polls[in]:
		v.op.Kind, v.op.Count = protocol.FlagStore, int(n)
	case op == "exch":
		v.op.Kind, v.op.Value = protocol.FlagSwap, int(n)
	case op == "cas" && e.polls[in] && e.read(in.C).known(): // whether it stores what it waits to, and else nothing, is seen once all numbers are known that the flag may hold
		v.op.Kind, v.op.Value = protocol.FlagSwap, int(in.Type.Bring(e.read(in.C).n))
	default:
		r.unfollowed(in, v, "what it does to a flag is not followed")
	}
}

// unfollowed takes an atomic operation to be one on a word that nobody waits for; if some do, that fails.
func (r *recorder) unfollowed(in *ir.Inst, v *event, why string) {
	if in.Op != ir.Atomic {
		r.fail(in, why)
		return
	}
	delete(r.System.flags, v.of)
	r.System.shuffled[v.of] = true
	r.failure = ErrAgain
}

func scopeOf(s ir.Scope) string {
	if s == ir.NoScope {
		return ""
	}
	return s.String()
}
