// Package flagmatrix is the barrier of several GPUs that inference libraries put into their all-reduce kernels, as a
// protocol and as litmus tests, with its proof for a number of calls.
//
// # The barrier
//
// N GPUs run the same kernel, each with its rank. Every GPU r has a row of signals, one for each GPU w that it waits for,
// in two slots; all GPUs can reach all rows. Seen together they are a matrix of flags: GPU w writes its column, GPU r
// polls its row. Call k (1, 2, …) is, for a thread t of a block of GPU g,
//
//	if t < N:
//	    if the block is block 0, the leader:  st.release.sys signal[t][g][k mod 2], k
//	    while ld.acquire.sys signal[g][t][k mod 2] ≠ k: again
//	bar.sync
//
// Each call stands in a launch of its own, of one stream, as it does in the libraries: a launch begins when all blocks of
// the one before on its GPU have ended (CUDA C++ Programming Guide, streams). Within one launch, nothing would keep the
// leader from running ahead of the other blocks (the fault OneLaunch).
//
// Before the launch of call k every thread writes a datum of its own for it, and behind the barrier of call k every
// thread reads what the threads of the other GPUs have written.
//
// # What is asked
//
//   - Everyone leaves: Deadlock and Livelock of the protocol (engine/explore).
//   - No flag is overwritten while a thread still polls it for the value before: Race of the protocol, of buffers that
//     have an element for each call: who polls a flag for call k reads element k, who stores a later value to it writes all
//     elements before. A race is a state in which the one may still poll, and the other may store now.
//   - Data written before are read after: litmus tests under the model of PTX (engine/memory), cut.go.
//
// The first two are of interleavings, where every store is seen at once; the third knows that stores are not.
package flagmatrix

import (
	"fmt"
	"slices"
	"strings"
)

// Barrier is one size of the barrier, whole or with a fault.
type Barrier struct {
	GPUs, Blocks, Threads, Calls int
	Fault                        Fault

	change func(t thread, k int, ops []op) []op // which a test makes to a call
	words  [2]string                            // of store and poll, which a test sets
}

// Fault is what is wrong with a barrier.
type Fault string

// The faults.
const (
	None     Fault = ""
	GPUScope Fault = "gpu-scope"      // the flags are stored and polled with .gpu, which does not reach the other GPUs
	Relaxed  Fault = "relaxed"        // the flags are stored and polled relaxed: they order nothing
	OneSlot  Fault = "one-slot"       // all calls use one slot
	NoSync   Fault = "no-cta-barrier" // threads go on as soon as the flag that they poll is there
	WrongRow Fault = "wrong-row"      // threads poll the column that their own leader writes
	// OneLaunch has all calls in one launch: the leader does not wait for the other blocks of its GPU.
	OneLaunch Fault = "one-launch"
)

// Faults lists them.
var Faults = []Fault{GPUScope, Relaxed, OneSlot, NoSync, WrongRow, OneLaunch}

// Bounds on a barrier. A thread polls one GPU, so a block has no fewer threads than there are GPUs.
const (
	maxGPUs    = 64
	maxThreads = 1 << 13 // of all GPUs
	maxCalls   = 64
)

// Validate says what is wrong with the size.
func (b *Barrier) Validate() error {
	switch {
	case b.GPUs < 2 || b.GPUs > maxGPUs:
		return fmt.Errorf("%d GPUs; want 2 to %d", b.GPUs, maxGPUs)
	case b.Blocks < 1 || b.Threads < 1 || b.Calls < 1 || b.Calls > maxCalls:
		return fmt.Errorf("%d blocks, %d threads, %d calls; want at least one of each, and at most %d calls", b.Blocks, b.Threads, b.Calls, maxCalls)
	case b.Threads < b.GPUs:
		return fmt.Errorf("%d threads cannot poll the flags of %d GPUs: thread t of a block polls the flag of GPU t, so a block needs at least %d", b.Threads, b.GPUs, b.GPUs)
	case b.Threads > 1024 || b.Blocks > maxThreads || b.GPUs*b.Blocks*b.Threads > maxThreads:
		return fmt.Errorf("%d GPUs of %d blocks of %d threads; want at most 1024 threads a block, and %d in all", b.GPUs, b.Blocks, b.Threads, maxThreads)
	case b.Fault != None && !slices.Contains(Faults, b.Fault):
		return fmt.Errorf("no fault %q; there are %s", b.Fault, names())
	}
	return nil
}

func names() string {
	var out []string
	for _, f := range Faults {
		out = append(out, string(f))
	}
	return strings.Join(out, ", ")
}

// String is the size in words.
func (b *Barrier) String() string {
	s := fmt.Sprintf("%d GPUs x %s x %s x %s", b.GPUs, count(b.Blocks, "block"), count(b.Threads, "thread"), count(b.Calls, "call"))
	if b.Fault != None {
		s += ", " + string(b.Fault)
	}
	return s
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// signal is a cell of the matrix: the flag that GPU reader polls to know of GPU writer.
type signal struct{ reader, writer, slot int }

func (s signal) String() string { return fmt.Sprintf("signal[%d][%d][%d]", s.reader, s.writer, s.slot) }

type kind uint8

const (
	store    kind = iota
	poll          // until the value is there
	sync          // bar.sync of the block
	boundary      // the launches of a GPU up to here end before what comes behind
	write         // of the thread's datum for a call
	read          // of the datum of another thread
)

// op is what a thread does in a call; of store and poll with a signal.
type op struct {
	kind   kind
	call   int // from 1; also the value of the flag
	signal signal
}

// thread is one thread of one block of one GPU.
type thread struct{ gpu, block, id int }

func (t thread) String() string {
	return fmt.Sprintf("GPU %d, block %d, thread %d", t.gpu, t.block, t.id)
}

func (b *Barrier) slot(call int) int {
	if b.Fault == OneSlot {
		return 0
	}
	return call % 2
}

func (b *Barrier) slots() int {
	if b.Fault == OneSlot {
		return 1
	}
	return 2
}

// call is what a thread does for one call.
func (b *Barrier) call(t thread, k int) []op {
	var out []op
	if b.Fault != OneLaunch {
		out = append(out, op{kind: boundary, call: k})
	}
	if t.id < b.GPUs {
		if t.block == 0 {
			out = append(out, op{store, k, signal{t.id, t.gpu, b.slot(k)}})
		}
		row := signal{t.gpu, t.id, b.slot(k)}
		if b.Fault == WrongRow {
			row = signal{t.id, t.gpu, b.slot(k)}
		}
		out = append(out, op{poll, k, row})
	}
	if b.Fault != NoSync {
		out = append(out, op{kind: sync, call: k})
	}
	if b.change != nil {
		out = b.change(t, k, out)
	}
	return out
}

// qualifiers are those of the store and of the poll of a flag.
func (b *Barrier) qualifiers() (store, poll string) {
	switch {
	case b.words[0] != "":
		return b.words[0], b.words[1]
	case b.Fault == GPUScope:
		return "release.gpu", "acquire.gpu"
	case b.Fault == Relaxed:
		return "relaxed.sys", "relaxed.sys"
	}
	return "release.sys", "acquire.sys"
}
