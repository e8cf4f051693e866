// Package thread executes a kernel of the IR thread by thread: a few CTAs, every thread on its own, one step at a time, as package
// progress asks of a system. A state is a list of numbers, and what a thread's next step does follows from it.
//
// Registers hold integers, addresses, or are unknown: data. So does memory, where what it holds decides what a thread does;
// all other memory is data. Which memory that is is found out while threads are executed: [ErrAgain]. Global memory that the kernel
// uses atomics or strong loads on, or polls, is 0 at first, or what its declaration says; shared memory is unknown at first.
// Pointers that the kernel is given point to memory of their own. Where an unknown, or something not followed, would decide what a
// thread does next, or what memory that is followed holds, a step ends with an error that names the line.
//
// # Steps
//
// Executions are interleavings: what memory models allow beyond them is not seen. A step is an instruction that others can tell
// was executed, and after it what the thread does by itself: registers, memory that is not followed, branches. These commute with
// whatever other threads do, so every interleaving of instructions is one of steps, up to order that nobody sees; and a thread
// that goes on for ever by itself makes steps for ever, as a step ends after some thousand instructions at the head of a loop.
//
// That a thread comes to a barrier, or to others of its warp, or ends, lets others on and can keep nobody from anything: it may be
// made as early as what the thread does before it. It is taken into the step before, unless that one writes. If a thread that is
// guaranteed nothing is never scheduled again between the two, it might as well have stopped before the step: nobody has seen a
// read; but others may go on because of a write and then wait for the thread. Whether it has begun matters only to models under
// which a thread that has begun is guaranteed to go on, and there it comes to the barrier.
package thread

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-dev/fencepost/engine/progress"
	"github.com/fencepost-dev/fencepost/ir"
)

// Launch is how many threads there are, and what the kernel is given.
type Launch struct {
	CTAs, Cluster int    // clusters are along x
	Grid          [3]int // of the CTAs; zero: along x
	Block         [3]int // of a CTA
	Cooperative   bool
	Fewer         bool             // than the kernel is launched with: what counts threads is not followed
	Params        map[string]int64 // parts of parameters, as [ir.Parameter.Called] has them
}

// System is the threads of a kernel. Not for use by many at once.
type System struct {
	Spent time.Duration // what the last record took, as steps that are counted

	kernel  *ir.Kernel
	launch  Launch
	block   int // threads of a CTA
	threads int
	depth   int // of calls, at most

	rests  []bool        // by instruction: a step may end before it
	live   map[int32]set // there: registers, then predicates, that are read later
	slots  []int32       // registers and predicates that states have a place for
	slotOf []int32       // and where that is; -1: nowhere
	given  []int32       // registers and predicates that nothing sets
	values [][]value     // what they hold, by thread
	size   int           // numbers of a thread

	polls    map[*ir.Inst]bool
	objects  []object
	pointers map[int32]int // register → object that it points to
	cells    map[cell]int
	flags    map[cell]int64 // words that threads wait for, or access strongly: their bytes
	shuffled map[cell]bool  // words that atomic operations change, in ways that are not followed, and that nobody waits for: what they hold depends on who comes first
	guarded  map[cell]bool  // words that threads access as volatile while they have a lock: true as long as nobody waits for them, or changes them by an atomic operation
	room     int
	waits    bool // threads wait for each other, other than by memory

	scratch []value // of the thread at hand
	passed  bool    // a branch whose way is not known was passed

	executed int // instructions

	watch func(e *thread, in *ir.Inst) // called before each instruction that is executed, or may be
	fine  bool                         // of tests: each instruction is a step
}

// object is a part of memory of its own.
type object struct {
	name     string
	eligible bool // what it holds at first is known, or nothing need be known of it
	tracked  bool
	variable *ir.Variable
}

// Objects that each kernel has; those that it is given follow.
const (
	nowhere = iota
	shared
	local
	constant
	firstPointer
)

// Limits against hostile input.
const (
	maxThreads = 1 << 12
	maxInsts   = 1 << 15
	maxObjects = 120
	maxCells   = 1 << 12
	maxDepth   = 16
	maxLocal   = 1 << 13 // instructions of a step that nobody else sees
)

// ErrAgain says that something was found out of the memory that the states so far do not have: decide once more.
var ErrAgain = errors.New("decide once more")

// New makes threads of a kernel.
func New(k *ir.Kernel, l Launch) (*System, error) {
	s := &System{kernel: k, launch: l, block: l.Block[0] * l.Block[1] * l.Block[2], pointers: map[int32]int{}, cells: map[cell]int{}, flags: map[cell]int64{}, guarded: map[cell]bool{}, shuffled: map[cell]bool{}, room: 16}
	s.threads, s.depth = s.block*l.CTAs, len(k.Functions)-1
	if l.Grid[0] == 0 {
		s.launch.Grid = [3]int{l.CTAs, 1, 1}
	}
	switch {
	case s.threads < 1 || s.threads > maxThreads || l.Cluster < 1 || l.CTAs%l.Cluster != 0 || s.launch.Grid[0]*s.launch.Grid[1]*s.launch.Grid[2] != l.CTAs:
		return nil, fmt.Errorf("%d CTAs in clusters of %d, with %d threads: 1 to %d threads are executed", l.CTAs, l.Cluster, s.block, maxThreads)
	case len(k.Insts) > maxInsts || s.depth > maxDepth:
		return nil, fmt.Errorf("%s has %d instructions in %d functions; %d in %d are executed thread by thread", k.Name, len(k.Insts), s.depth+1, maxInsts, maxDepth+1)
	}
	s.objects = []object{nowhere: {}, shared: {name: "shared memory", eligible: true}, local: {name: "local memory", eligible: true}, constant: {name: "constant memory"}}
	for _, p := range k.Slots {
		if _, given := l.Params[p.Called()]; p.Pointer && !given && len(s.objects) < maxObjects {
			s.pointers[p.Register] = len(s.objects)
			s.objects = append(s.objects, object{name: p.Called()})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(k.Globals)) {
		if len(s.objects) < maxObjects {
			s.pointers[k.Globals[name]] = len(s.objects)
			s.objects = append(s.objects, object{name: name, variable: k.Variables[name]})
		}
	}
	s.polls = map[*ir.Inst]bool{}
	for n := range k.Polls() {
		s.polls[&k.Insts[n]] = true
	}
	s.layOut()
	return s, nil
}

// Threads implements progress.System.
func (s *System) Threads() []progress.Thread {
	var out []progress.Thread
	for t := range s.threads {
		c := s.cta(t)
		thread := progress.Thread{Name: fmt.Sprintf("thread %d of CTA %d", t%s.block, c), Unit: c, Group: c / s.launch.Cluster}
		if s.block == 1 {
			thread.Name = fmt.Sprintf("CTA %d", c)
		}
		if s.launch.Cooperative {
			thread.Group = 0
		}
		out = append(out, thread)
	}
	return out
}

func (s *System) cta(t int) int { return t / s.block }

// position is where a thread is in the launch.
func (s *System) position(t int) ir.Position {
	c, grid := s.cta(t), s.launch.Grid
	return ir.Position{Block: s.launch.Block, Cluster: [3]int{s.launch.Cluster, 1, 1}, Grid: grid,
		CTA: [3]int{c % grid[0], c / grid[0] % grid[1], c / grid[0] / grid[1]}, Thread: t % s.block}
}

// Ended implements progress.System.
func (s *System) Ended(state []int64, t int) bool { return state[t*s.size+slotPC] == s.end() }

func (s *System) end() int64 { return int64(len(s.kernel.Insts)) }

// Again starts over with what was found out of the memory.
func (s *System) Again() { clear(s.cells) }

// Assumed is what the answers depend on, besides the launch.
func (s *System) Assumed() []string {
	out := slices.Clone(s.kernel.Assumed)
	if s.passed {
		out = append(out, "loops whose end depends on data end")
	}
	return out
}

// Step implements progress.System: the state is the same where the thread waits.
func (s *System) Step(state []int64, t int) ([]int64, error) {
	if state[t*s.size+slotWait] != 0 {
		return state, nil
	}
	out := slices.Clone(state)
	return out, s.advance(out, t)
}

// advance makes a step of a thread that does not wait.
func (s *System) advance(state []int64, t int) error {
	e := s.enter(state, t)
	for n := 0; e.pc != s.end(); n++ {
		in := &s.kernel.Insts[e.pc]
		if n > 0 && (e.fine || e.visible(in) || e.wrote && e.meets(in) || n >= maxLocal && s.rests[e.pc]) {
			break
		}
		s.executed++
		if err := e.execute(in); err != nil {
			return err
		}
		if e.wait != 0 {
			break
		}
	}
	e.leave()
	if e.wait != 0 || e.arrived || e.pc == s.end() && s.waits {
		return s.gather(state, t)
	}
	return nil
}

// meets reports whether others may wait for a thread that executes an instruction, other than by memory.
func (e *thread) meets(in *ir.Inst) bool {
	ends := in.Op == ir.Exit || in.Op == ir.Return && len(e.stack) == 0
	return (e.waits && ends || waits(in)) && e.guard(in) != integer(0)
}

// waits reports whether a thread may wait at an instruction for others to come to it.
func waits(in *ir.Inst) bool {
	return in.Op.Does(ir.Blocks) && in.Op != ir.MbarTest && in.Op != ir.GroupWait || in.Flags&ir.Meets != 0
}

// fail is an error at an instruction.
func (s *System) fail(in *ir.Inst, why string) error {
	at := &s.kernel.Places[in.Place]
	name := at.Name
	if name == "" {
		name = in.Op.Name()
	}
	if where := s.kernel.Where(at); where != "" {
		name = where + ": " + name
	}
	return fmt.Errorf("%s: %s", name, why)
}

// open is fail where something is not known: it says which numbers that the kernel may be given would tell.
func (s *System) open(in *ir.Inst, why string) error {
	names, memory := s.kernel.InputsOf(in)
	for _, p := range s.kernel.Slots {
		_, given := s.launch.Params[p.Called()]
		if _, pointer := s.pointers[p.Register]; given || pointer {
			names = slices.DeleteFunc(names, func(name string) bool { return name == p.Called() })
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { _, special := s.kernel.Special[name]; return special })
	if len(names) > 0 && !memory {
		return &WantingError{names, s.fail(in, why+"; it follows from what the kernel is given: "+strings.Join(names, ", "))}
	}
	return s.fail(in, why)
}

// WantingError says that numbers that the kernel is given would tell what a thread does next.
type WantingError struct {
	Names []string
	err   error
}

func (e *WantingError) Error() string { return e.err.Error() }

func (e *WantingError) Unwrap() error { return e.err }

// maxText bounds the text of a step.
const maxText = 60

// written is what stands at a place: the text, or what the instruction is called.
func (s *System) written(at *ir.Place) string {
	if s.kernel.File == nil || at.Span.End <= at.Span.Start || at.Span.End > len(s.kernel.File.Data) {
		return at.Name
	}
	text := strings.Join(strings.Fields(strings.TrimSuffix(s.kernel.File.Text(at.Span), ";")), " ")
	if len(text) > maxText {
		return at.Name
	}
	return text
}

// Describe implements progress.System: the line is that of the kernel's own text.
func (s *System) Describe(state []int64, t int) (line, from int, text string) {
	e := s.enter(state, t)
	in := &s.kernel.Insts[e.pc]
	at := &s.kernel.Places[in.Place]
	if s.kernel.File != nil {
		line = s.kernel.File.Position(at.Span.Start).Line
		if call := s.kernel.File.Position(at.From.Start).Line; at.From.End > 0 && call != line {
			from = call
		}
	}
	if text = at.Name; at.Line == 0 || s.kernel.File != nil && at.Path == s.kernel.File.Name {
		text = s.written(at)
	} else { // what it was compiled from may be of another file
		text += " (" + s.kernel.Where(at) + ")"
	}
	if e.pc == 0 && !e.visible(in) && !waits(in) {
		text = "begins"
	}
	if e.visible(in) && (in.Op == ir.Load || in.Op == ir.Atomic) {
		if o, n, known := e.target(in, in.A, in.Offset); known {
			if v, err := e.load(o, n, int64(in.Type.Bits/8), in.Type); err == nil && v.known() && v.n > -math.MaxInt32 && v.n <= math.MaxUint32 {
				text += fmt.Sprintf(" finds %d", v.n)
			}
		}
	}
	next, err := s.Step(state, t)
	switch {
	case err != nil:
	case s.Ended(next, t):
		text += "; ends"
	case slices.Equal(next, state):
		text += "; again"
	}
	return line, from, text
}
