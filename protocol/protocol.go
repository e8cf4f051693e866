// Package protocol is the bounded concurrent model every engine works on, and its exact semantics.
//
// A Protocol is what remains of a kernel when the host side, the roles, the trip counts and the stage arithmetic are
// evaluated: a set of classes of identical threads, each running one straight-line program of synchronization
// operations, over shared objects. Nothing here knows a source language.
//
// # Meaning
//
// A thread of class c is at a location l in 0 … len(Ops): it has executed Ops[:l]. Threads of one class run the same
// program and are told apart only by the elements they access, so a state counts them per location (counter
// abstraction; notes/semantics.md 7.4). One step is one operation of one thread, or one completion of one
// asynchronous operation in flight. The operations, in the terms of the PTX manual (PTX ISA 9.7.13):
//
//   - Mbarrier (9.7.13.15): fields phase Φ (a natural number; hardware shows Φ mod 2), pending arrivals, expected
//     arrivals, transaction bytes tx. init(n): Φ=0, pending=expected=n, tx=0. Arrive c: pending -= c.
//     ArriveExpectTx n: tx += n, then pending -= c, in one step. ExpectTx n: tx += n, without a completion test.
//     CompleteTx n: tx -= n. ArriveDrop c, n: expected -= c for the phases to come, tx += n, then pending -= c, in one
//     step (9.7.13.15.14). After every arrive-on and complete-tx: if pending = 0 and tx = 0, then Φ += 1 and
//     pending := expected, in the same step. Wait P: blocks while Φ mod 2 = P, else passes. A pending or
//     expected count that would drop below zero is a violation of Arrivals.
//   - Init marks the object initialised. The object is in its initial state from the start, so that the other
//     properties are questions about the protocol alone: a use before the Init step is a violation of Lifetime and
//     of nothing else. An object whose Init is nowhere in the protocol counts as initialised.
//   - Named barrier (9.7.13.1), per CTA: counts threads. Arrive registers and goes on; Sync registers and blocks.
//     When the registered threads reach the barrier's count, every thread blocked in it moves past its Sync and the
//     count returns to zero, all in the completing step. A Named with Threads = 0 is the CTA-wide barrier: its count
//     is the number of threads of the CTA that have not exited, and an exit re-evaluates it.
//   - Cluster barrier (9.7.13.3): ClusterArrive registers and goes on; ClusterWait blocks until the generation in
//     which the thread arrived is complete. A generation completes when every thread of the cluster that has not
//     exited arrived. An exit re-evaluates it.
//   - Flag: an integer in global memory, seen sequentially consistently here (order and scope are engine/memory's).
//     FlagAdd, FlagStore; Spin blocks until the comparison with Count holds. FlagSwap blocks like Spin, and stores Value in the
//     same step: the compare-and-swap, or exchange, of a lock, whose failing rounds leave the flag as it is.
//   - Issue starts an asynchronous operation (TMA copy, tcgen05.commit, cp.async arrive): it is in flight until its
//     completion step, which applies its Effects (complete_tx and arrivals on mbarriers) in one step. Completions
//     come in any order. Drain (cp.async.bulk.wait_group, cp.async.wait_group) blocks until none of the operations
//     that this class issued at the locations Drains is in flight. That is a wait of one thread for its own operations only
//     in a class of one thread; with several, each with operations of its own, these are Pending accesses (see Access).
//   - Exit is implicit at the end of Ops. Shared memory is another CTA's as soon as all threads of its CTA have exited:
//     a use of it by a thread of another CTA, or by an operation that is still in flight, is a violation of Lifetime. Of
//     an operation in flight in its own CTA, only the data that it brings count (bytes of its Effects).
//
// # Data
//
// Blocks[l] holds the accesses a thread performs between Ops[l-1] and Ops[l]. A thread at location l may be doing
// any of them now, so two threads at l and m race iff some access of the one block and some access of the other
// touch the same element, one of them writes: a predicate over states, no step of its own. It is exact, because an
// access is always enabled and orders nothing. An asynchronous operation accesses its Accesses from issue to
// completion. Of an access that touches some of its elements, not known which, an element is touched by the other
// surely if the other touches all of them (Somewhere): that, too, is a race. What touches fewer may miss it, and which
// elements of a tile are whose is not always known: an execution shows no race there, and its absence is not shown either.
// So there are two questions about a protocol. A race in it is a race of the program; that the program has none is shown
// by a search of Widened, in which every access touches whatever it may touch.
package protocol

import (
	"math"
	"slices"
	"strconv"
)

// Protocol is one bounded instance.
type Protocol struct {
	Kernel  string            // qualified name, for messages
	Values  map[string]string // the bounds this instance fixes: "k_tiles" → "3", "THREADS" → "128"
	CTAs    int               // CTAs in the model; all of one cluster when Cluster is set
	Cluster bool
	// GPUs are what the CTAs are on, as many on each, in order; 0 stands for one. It names them, and decides nothing here.
	GPUs    int
	Fenced  bool // some thread executes fences, which are no operations here
	Beyond  bool // a fence next to an operation on a flag, whose Order it is a part of, makes an earlier or a later relaxed one order what is beyond it, too
	Wide    bool // accesses touch whatever they may touch (Widened)
	Mbars   []Mbarrier
	Named   []Named
	Flags   []Flag
	Buffers []Buffer
	Classes []Class
	// Across are the pairs of Deals that give some element to two warps.
	Across []Crossing
	Sites  []Site // where operations and accesses stand in the source
	// Premise is a protocol of the same operations and threads that is free of races exactly if the values that the
	// program was evaluated with are the ones it reads; nil where it reads none. An execution means something as far as
	// it goes through no state in which Premise has a race.
	Premise *Protocol
	// Loops and Repeats say what instances with other values of the unknowns are, for proofs of all of them at once. They
	// change nothing about this instance.
	Loops   []Loop
	Repeats []Repeat
}

// Numbers are the Values that are numbers.
func (p *Protocol) Numbers() map[string]int64 {
	out := make(map[string]int64, len(p.Values))
	for name, text := range p.Values {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			out[name] = n
		}
	}
	return out
}

// Mbarrier is one mbarrier object in one CTA's shared memory.
type Mbarrier struct {
	Name  string // as the author would say it: "full[2]"
	CTA   int
	Count int // expected arrivals given at init; 1 … 2^20-1
	// Armed says that the program leaves the object armed for a phase that is not to come, as a pipeline's tail does:
	// what is left of that phase at exit breaks neither Bytes nor Quiet.
	Armed bool
}

// WarpBarrier is the first id of the warp barriers: WarpBarrier+w is the barrier of the lanes of warp w
// (bar.warp.sync, PTX ISA 9.7.13.2), which counts and blocks like a named barrier.
const WarpBarrier = 16

// Named is one named barrier (id 0 … 15) of one CTA, or the barrier of a warp.
type Named struct {
	ID      int
	CTA     int
	Threads int // participating threads; 0: all threads of the CTA that have not exited
}

// Flag is one integer in global memory.
type Flag struct {
	Name    string
	Initial int
}

// Unknown is the Initial of a flag of which nothing says what it holds at first: no number that threads write, or wait for.
const Unknown = math.MinInt32

// Buffer is a piece of memory whose accesses are tracked, by element.
type Buffer struct {
	Name     string
	CTA      int // CTA whose shared memory it is in; -1 for global memory
	Elements int
	// Freed says that a write gives the memory back and a read is any use of it, as for tensor memory.
	Freed bool
}

// Class is Count identical threads of one CTA. Threads are their thread indices, in order.
type Class struct {
	Name    string // "threads 1-127 of CTA 0", "warp 2 of CTA 1"
	CTA     int
	Count   int
	Threads []int
	Ops     []Op
	Blocks  [][]Access // len(Ops)+1
}

// Kind is what an operation does.
type Kind uint8

// Kinds of operation; see the package documentation for their meaning.
const (
	Init Kind = iota
	Arrive
	ArriveExpectTx
	ExpectTx
	CompleteTx
	Wait
	NamedArrive
	NamedSync
	ClusterArrive
	ClusterWait
	FlagAdd
	FlagStore
	Spin
	Issue
	Drain
	ArriveDrop
	FlagSwap
)

var kindNames = [...]string{"init", "arrive", "arrive.expect_tx", "expect_tx", "complete_tx", "wait", "bar.arrive", "bar.sync",
	"cluster.arrive", "cluster.wait", "flag add", "flag store", "spin", "issue", "drain", "arrive.drop", "flag swap"}

func (k Kind) String() string { return kindNames[k] }

// Kinds is how many kinds there are.
const Kinds = int(FlagSwap) + 1

// Polls reports whether an operation waits for what a flag holds.
func (k Kind) Polls() bool { return k == Spin || k == FlagSwap }

// OfFlag reports whether an operation is one on a flag.
func (k Kind) OfFlag() bool { return k == FlagAdd || k == FlagStore || k.Polls() }

// Op is one operation.
type Op struct {
	Kind    Kind
	Object  int      // index into Mbars, Named or Flags, by kind
	Count   int      // Arrive, ArriveExpectTx, ArriveDrop: arrivals; FlagAdd, FlagStore: the value; Spin, FlagSwap: what the flag is compared with
	Value   int      // FlagSwap: what it stores
	Bytes   int      // ArriveExpectTx, ArriveDrop, ExpectTx, CompleteTx
	Parity  int      // Wait: 0 or 1
	Compare string   // Spin, FlagSwap: "==", "!=", ">=", ">", "<=", "<"
	Order   string   // operations on flags: as in PTX, "weak" to "acq_rel", or Barrier; "" where not known. No engine of interleavings asks. NamedSync: "relaxed" where lanes exchange values, which orders no memory
	Scope   string   // the same: "cta" to "sys", "" without
	Effects []Effect // Issue: applied at completion
	Access  []Access // Issue: performed in flight
	Behind  []int    // Issue, a commit: sites of the multiplications that it is the first commit behind. No engine asks
	Drains  []int    // Drain: locations of this class's Issue operations that must be complete
	Site    int      // index into Sites
}

// Barrier is the Order of the operations on a counter that stand for a barrier of all threads of a GPU: what is before it
// in one of them is before what is behind it in all (CUDA C++ Programming Guide, grid synchronization).
const Barrier = "barrier"

// Equal reports whether two operations are the same, from the same place.
func (o *Op) Equal(b *Op) bool {
	return o.Kind == b.Kind && o.Object == b.Object && o.Count == b.Count && o.Value == b.Value && o.Bytes == b.Bytes && o.Parity == b.Parity && o.Compare == b.Compare &&
		o.Order == b.Order && o.Scope == b.Scope && o.Site == b.Site && slices.Equal(o.Effects, b.Effects) && slices.Equal(o.Behind, b.Behind) && slices.Equal(o.Drains, b.Drains) && slices.EqualFunc(o.Access, b.Access, Access.Equal)
}

// Grouped reports whether an Issue is a copy of a group that only a Drain of its thread waits for.
func (o *Op) Grouped() bool { return o.Kind == Issue && len(o.Effects) == 0 }

// Effect is what the completion of an asynchronous operation does to one mbarrier: tx -= Bytes, pending -= Arrivals.
type Effect struct {
	Mbar     int
	Bytes    int
	Arrivals int
}

// Lands reports whether the operation brings data to the CTA that the mbarrier is in.
func (e Effect) Lands() bool { return e.Bytes > 0 }

// Access is a read or write of elements of a buffer by a thread. Elements holds one entry a thread of the class, or
// a single entry for all of them. Each entry is a half-open range.
//
// Async says that an instruction the thread issued goes on with it, and not the thread itself: a matrix multiplication
// that no commit or wait covers yet.
//
// Pending is an Async access of a copy that only a wait of its own thread completes (cp.async or cp.async.bulk, with
// groups; PTX ISA 9.7.9.25.1.1; tcgen05.ld and tcgen05.st, 9.7.16.8): it stands in every block from the copy's issue to the
// first wait that covers it. Nothing orders it with what its thread does after it in these blocks: accesses of a block stand
// in the order of the program.
//
// Share tells the parts of a ByThread access apart: accesses of one Share other than 0 are, of one thread, of the same part,
// and of two threads of different parts. Deal says which warp has which element, as far as Across compares it.
//
// Stored tells values apart: writes of one Stored above 0 store one value, whichever threads make them, and what has
// Distinct stores another value in each thread. Atomic operations have one Stored, those that only read too: they are not
// in each other's way.
//
// Lock tells accesses apart that are never at the same time whatever the operations of the protocol say, as one lock is had for them: those of one Lock other than 0, and of one below 0, which threads of a
// CTA share, if they are of different CTAs.
//
// Maybe says that only the running kernel decides whether the access happens.
type Access struct {
	Buffer   int
	Write    bool
	Elements []Range
	Site     int
	Parts    Division
	Async    bool
	Pending  bool
	Share    int
	Deal     int
	Stored   int
	Lock     int
	Maybe    bool
}

// Distinct is Stored of a write by which each thread stores another value.
const Distinct = -1

// Equal reports whether two accesses are the same, from the same place.
func (a Access) Equal(b Access) bool {
	return a.Buffer == b.Buffer && a.Write == b.Write && a.Site == b.Site && a.Parts == b.Parts && a.Async == b.Async && a.Pending == b.Pending && a.Share == b.Share && a.Deal == b.Deal && a.Stored == b.Stored && a.Lock == b.Lock && a.Maybe == b.Maybe && slices.Equal(a.Elements, b.Elements)
}

// Division says who shares the elements of an access, where the model does not know which of them are whose.
type Division uint8

const (
	// Whole accesses touch all their elements.
	Whole Division = iota
	// ByThread is a tile that a tiled copy partitions: two such accesses are of different parts, unless their Deals cross.
	ByThread
	// ByCopy is a stage that several asynchronous copies may fill: writes of one class, or of one statement in several
	// CTAs, are of different parts.
	ByCopy
	// ByWarps is a tile of which each element is accessed by threads of several warps, as an operand of a warp-level matrix
	// multiplication that several warps share.
	ByWarps
	// OneCopy is ByCopy by an operation that touches all elements of the stage by itself.
	OneCopy
	// Somewhere accesses touch some of their elements, and which is not known: what touches all of these surely meets
	// them, anything else may not.
	Somewhere
)

// whole reports whether an access of a division surely touches all its elements.
func (d Division) whole() bool { return d == Whole || d == OneCopy }

// shared reports whether an access of a division is within the part that its Share says.
func (d Division) shared() bool { return d == ByThread || d == Somewhere }

// copied reports whether an access of a division is one of the copies that fill a stage.
func (d Division) copied() bool { return d == ByCopy || d == OneCopy }

// Use is an access by threads of a class, or by an operation in flight that they issued.
type Use struct {
	*Access
	Class    int
	InFlight bool
}

// Conflict reports whether two accesses conflict where they overlap, or, of Somewhere, where the other covers it: one of
// them writes, and they are not of different parts. Where that hangs on what is not known, they do in a Wide protocol only.
func (p *Protocol) Conflict(a, b Use) bool {
	if a.Buffer != b.Buffer || !a.Write && !b.Write {
		return false
	}
	asynchronous := a.InFlight || b.InFlight || a.Async || b.Async
	switch {
	case a.Share != 0 && a.Share == b.Share && a.Parts.shared() && b.Parts.shared():
		return false
	case a.Lock != 0 && a.Lock == b.Lock && (a.Lock > 0 || p.Classes[a.Class].CTA != p.Classes[b.Class].CTA):
		return false
	case p.inOrder(a, b):
		return false
	case a.Parts.copied() && b.Parts.copied() && a.Write && b.Write:
		return a.Class != b.Class && !p.sameLine(a.Site, b.Site)
	case !asynchronous && a.Stored > 0 && a.Stored == b.Stored:
		return false
	case p.Wide: // of one Deal: see dealt
		return a.Parts != ByThread || b.Parts != ByThread || a.Deal == 0 || a.Deal != b.Deal
	case a.Maybe || b.Maybe:
		return false
	case a.Parts == ByThread && b.Parts == ByThread: // of two stores the model does not know that both happen
		return (a.Write != b.Write || a.Pending != b.Pending) && slices.Contains(p.Across, Crossing{min(a.Deal, b.Deal), max(a.Deal, b.Deal)})
	case a.Parts == Somewhere && !b.Parts.whole(), b.Parts == Somewhere && !a.Parts.whole():
		return false
	case asynchronous || !a.Write || !b.Write:
		return true
	case p.sameLine(a.Site, b.Site): // threads that all write what they have found together store one value
		return a.Stored == Distinct && b.Stored == Distinct
	}
	return true
}

// Unordered reports whether two accesses of one block may conflict in one thread where they overlap: the first is of a copy
// that the thread has not waited for, and one of them writes. (Of two writes the model does not know that both happen: a copy,
// or zeros where there is nothing to copy. They may in a Wide protocol only.) Of tiles that are divided, equal shares are the same part.
func (p *Protocol) Unordered(first, second *Access) bool {
	switch {
	case first.Buffer != second.Buffer || !first.Pending || !first.Write && !second.Write:
		return false
	case first.Write && second.Write:
		return p.Wide && second.Pending && first.Site != second.Site && first.Parts == Whole && second.Parts == Whole
	case p.Wide:
		return true
	case first.Maybe || second.Maybe:
		return false
	case first.Parts == Whole && second.Parts == Whole:
		return true
	}
	return first.Parts == ByThread && second.Parts == ByThread && first.Share != 0 && first.Share == second.Share
}

// inOrder reports whether two accesses are of multiplications that one thread issues, or of copies to tensor memory among them:
// these are taken to be executed in the order in which they are issued. PTX names multiplications of one accumulator, and copies
// before a multiplication (PTX ISA 9.7.16.6.4); kernels depend on it for what one reads and the next overwrites, too, and where they do,
// whoever makes the protocol says so.
func (p *Protocol) inOrder(a, b Use) bool {
	return a.Class == b.Class && a.Async && b.Async && !a.Pending && !b.Pending && p.Classes[a.Class].Count == 1
}

// sameLine reports whether two sites are on one line of the source.
func (p *Protocol) sameLine(a, b int) bool {
	if a == b {
		return true
	}
	x, y := p.Sites[a], p.Sites[b]
	return x.Path == y.Path && x.Line == y.Line
}

// Crossing is two Deals by their numbers.
type Crossing struct{ Less, More int }

// Range is a half-open range of elements.
type Range struct{ Lo, Hi int }

// Overlap reports whether two lists of ranges have an element in common.
func Overlap(a, b []Range) bool {
	for _, x := range a {
		for _, y := range b {
			if x.Lo < y.Hi && y.Lo < x.Hi {
				return true
			}
		}
	}
	return false
}

// Site is a place in the source.
type Site struct {
	Path string
	Line int
	Text string // the operation as a person would say it: "arrive on gate[0] of CTA 1"
	From int    // the line of the call in the kernel's own text that leads there; 0 in that text, and where it is not known
}

// Property is one thing that is checked on every model.
//
// A state without steps in which some thread is not at its end is a Livelock or a Deadlock, never both. It is a Livelock
// when some thread spins on a flag that no operation still ahead of a blocked thread, the one it is blocked at
// included, adds to or stores to: the value is final and wrong, and whoever else is blocked waits for the thread that
// spins. Else it is a Deadlock: the blocked threads wait for one another.
//
// # Liveness
//
// A spin, and a wait on an mbarrier, which is a loop of try_wait, reads again for as long as it does not like what it
// sees. These polls are no steps here; with them the graph of states has cycles. A state without steps in which someone
// polls is exactly a weakly fair lasso in which a thread never gets on:
//
//   - Every step moves a thread on in its straight line, or completes an operation, so it is never taken back: an infinite
//     execution has finitely many steps and then polls only, which leave the state as it is. Its cycle stays in one state s.
//   - Weak fairness: who could take a step all the time takes it. Nothing but polls happens in s, so whoever can step there
//     could all the time. The execution is weakly fair exactly if no step is possible in s. Strong fairness asks no more,
//     as what is enabled changes only finitely often.
//   - Conversely a trace to such a state is the stem, and everyone who polls there, doing so once, is the cycle.
//
// So Deadlock and Livelock are all there is to liveness, under these assumptions: a poll changes nothing (the rounds of a loop
// around a compare-and-swap in which it fails; the one in which it succeeds is a step, FlagSwap), loops with steps in them end (they are unrolled), all CTAs of the model are resident and
// each thread is scheduled on its own. Where the scheduler promises less, package engine/progress says what still ends.
type Property string

// The properties. Attribution is a warning by itself (condition C1 of notes/semantics.md); all others are errors.
const (
	Deadlock    Property = "deadlock"    // no step possible, some thread not at its end, and it is no livelock
	Livelock    Property = "livelock"    // no step possible, some thread spins on a flag that no blocked thread still writes
	Phase       Property = "phase"       // a wait may skip a phase or see the one before the one it is for
	Arrivals    Property = "arrivals"    // pending count below zero
	Bytes       Property = "bytes"       // transaction bytes lost: tx ≠ 0 on an object when all threads are done
	Race        Property = "race"        // conflicting accesses to one element that nothing orders
	Lifetime    Property = "lifetime"    // an object used, or a copy in flight, before its init or in a CTA whose threads have all exited
	Quiet       Property = "quiet"       // a phase is partly arrived when all threads are done
	Attribution Property = "attribution" // an arrival may be credited to an earlier phase than its author meant
)

// Properties lists every property in the order reports use.
var Properties = []Property{Deadlock, Livelock, Phase, Arrivals, Bytes, Race, Lifetime, Quiet, Attribution}

// Warning reports whether a violation of the property is a warning rather than an error.
func (p Property) Warning() bool { return p == Attribution || p == Quiet }
