package exec

import (
	"math/bits"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
)

// machine is one CTA, or one cluster, while it is executed.
type machine struct {
	kernel    *ir.Kernel
	launch    Launch
	program   *order.Program
	symbols   *symbols
	ctas      []*cta
	warps     []*warp
	mbarriers map[uint32]*mbarrier
	within    [2]uint32 // the first and the last that was initialised
	cluster   joint
	pipes     map[pipe]uint32
	deadline  time.Time

	mostCommands int   // of one warp
	mostSteps    int64 // of one warp
	mostWork     int64 // steps of one warp as the limits allow; 0: any

	leads      map[symbol]string // what parameters are that point to global memory: their names
	unset      []int32           // registers that nothing sets
	tickets    map[symbol]bool   // what is a multiple of a ticket, and what is the same for all: linear, also where it is multiplied
	drawing    sync.Mutex
	drew       atomic.Bool // there are tickets
	unsettling sync.Mutex
	unsettled  map[result][]string // what is set behind a branch whose way is not known: the inputs that decide it
	unsettlers map[*ir.Inst]bool   // branches that were asked about
	polling    sync.Once
	polls      map[*ir.Inst]bool // loads of shared memory by which loops wait for what others write

	mu      sync.Mutex
	stop    *Halt
	faults  []Fault
	at      uint32 // where stop is
	outside []Halt
	hidden  map[uint32]bool
	peeks   map[uint32]bool
	spared  map[[2]int32]bool // tests of mbarriers that are alike
	masks   map[uint32]Halt   // collectives whose mask leaves out lanes that may come there
	assumed []string
	unsure  map[uint32]Halt    // accesses of which it is not known whether they are executed
	doubted map[[2]uint32]bool // with what says so

	tracts    map[tract]uint32               // of global memory, by number
	laid      []tract                        // in this order
	global    *Halt                          // an access of global memory that cannot be compared with another one, which it may race with
	beyond    *Halt                          // one that was compared with no other
	hangs     [2]*ir.Inst                    // what they hang on
	addresses map[int32]address              // by register
	distances map[string]*[2]map[symbol]bool // by pointer, the addresses at which is read and written
	spots     map[string]*spots              // by pointer, see spotted
	sums      *sums
	unmet     bool             // lanes exchange values where data say which of them come
	trap      *ir.Place        // that some thread comes to; the first by place
	trusted   map[uint32]Trust // branches around a trap whose way what is not given decides, by place
	isPointer func(*ir.Parameter) bool
	pointers  map[symbol]int64 // what parameters point to, where the launch says it: only what compares and takes bits of them sees that

	whole    bool               // warps are ordered by barriers of all threads alone
	called   bool               // or by calls that may synchronize, too
	vague    bool               // shared memory is accessed at places that are not followed
	alike    *ir.Uniformity     // made when it is asked for
	launched map[int32]bool     // see ofLaunch
	words    map[symbol]string  // names of words, by what they are; "": it is none
	loaded   map[string][]int32 // registers that words are loaded to

	counts     bool                 // the kernel has mbarriers
	conditions map[string]Condition // that were met
	agreed     map[uint32]Halt      // those that are not sure, where the launch says which way they go
	ordinals   []int32
	ends       map[int32][2]bool // by branch, see [ir.Kernel.Idle]
	named      map[int32]string  // what they are called, by instruction

	watch func(w *warp, pc int32, mask uint32) // of tests: called behind each instruction
}

// cta is one CTA.
type cta struct {
	rank   int
	coord  [3]int // of the CTA in the grid
	named  [namedBarriers]named
	warps  []*warp
	memory contents

	columns  columns
	products map[product]order.Copy
}

// Fault is something that must not be, and that the execution came to.
type Fault struct {
	Check order.Check
	At    order.Point
	Text  string
}

// fault notes what the execution came to, once for a place.
func (m *machine) fault(check order.Check, at order.Point, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := slices.IndexFunc(m.faults, func(f Fault) bool { return f.At.Place == at.Place })
	switch {
	case k < 0:
		m.faults = append(m.faults, Fault{check, at, text})
	case at.Warp < m.faults[k].At.Warp && !m.kernel.Blocking: // whichever warp comes first
		m.faults[k] = Fault{check, at, text}
	}
}

// Halt is something that could not be followed, with the instruction.
type Halt struct {
	Place  *ir.Place // nil: none
	Why    limit.Reason
	Inputs []string // of the kernel on which it may depend; numbers for them may decide it
	Memory bool     // it may depend on what memory holds, too
	Beyond bool     // it is an access of an address that no shared memory has
	Guard  bool     // of an access that may not be executed: a guard on data is all that is not known of it
	Ends   bool     // of one: when it is over is all that is not known of it
	Index  bool     // of one: where it is in its array is all that is not known of it, but for data that say whether it is executed, whichever thread asks
}

// Trust is a branch around a trap whose way inputs decide that are not given: it is taken to lead by it.
type Trust struct {
	Halt
	All []string // the inputs, with those that are given
}

// Reason says what could not be followed, and what would help: of what follows from what the kernel is given, to say that.
func (h *Halt) Reason() limit.Reason {
	switch {
	case h.Memory:
		return h.Why.And("; it may come from memory")
	case len(h.Inputs) > 0 && !IsWord(h.Inputs[0]) && !IsCondition(h.Inputs[0]):
		r := h.Why.And("; it follows from what the kernel is given, and --param says what that is: " + strings.Join(h.Inputs, ", "))
		if r.Code.Data() {
			r.Code = limit.Input
		}
		return r
	}
	return h.Why
}

// Text is the reason without its code.
func (h *Halt) Text() string { return h.Reason().Text }

func trailing(mask uint32) int { return bits.TrailingZeros32(mask) }

// halt ends the execution: what follows depends on what is not known.
func (w *warp) halt(f *fragment, why limit.Reason) outcome {
	in := &w.m.kernel.Insts[f.pc]
	if w.m.launch.Through {
		return w.through(f, in, why)
	}
	names, memory := w.m.open(in)
	if memory { // what is loaded may be what another branch has chosen
		names = append(names, w.m.ways(in)...)
	}
	w.m.halt(in.Place, Halt{Why: why, Inputs: append(names, w.wordsOf(in)...), Memory: memory})
	w.stopped = true
	return changed
}

func (m *machine) halt(place uint32, h Halt) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stop == nil || place < m.at { // the first by place, so that the answer does not depend on timing
		h.Place = &m.kernel.Places[place]
		m.stop, m.at = &h, place
	}
}

// traps notes that threads come to a trap.
func (m *machine) traps(place uint32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if at := &m.kernel.Places[place]; m.trap == nil || at.Span.Start < m.trap.Span.Start {
		m.trap = at
	}
}

// offer adds an input to what the execution ended for at a place.
func (m *machine) offer(place uint32, name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stop != nil && m.at == place && !slices.Contains(m.stop.Inputs, name) {
		m.stop.Inputs = append(m.stop.Inputs, name)
	}
}

// open lists the inputs that are not given and that an instruction may depend on.
func (m *machine) open(in *ir.Inst) (names []string, memory bool) {
	all, memory := m.kernel.InputsOf(in)
	for _, name := range all {
		if _, given := m.launch.Params[name]; !given && !m.decided(name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 && !memory {
		names = m.ways(in)
	}
	return names, memory
}

// result is a register, or a predicate, that an instruction sets.
type result struct {
	bank ir.Bank
	n    int32
}

func results(registers, predicates []int32) (out []result) {
	for _, r := range registers {
		out = append(out, result{ir.Register, r})
	}
	for _, p := range predicates {
		out = append(out, result{ir.Predicate, p})
	}
	return out
}

// ways lists the inputs that are not given and that decide which ways threads go to what an instruction depends on.
func (m *machine) ways(in *ir.Inst) (names []string) {
	m.unsettling.Lock()
	defer m.unsettling.Unlock()
	if len(m.unsettled) == 0 {
		return nil
	}
	for _, d := range results(m.kernel.MadeOf(in)) {
		names = append(names, m.unsettled[d]...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// unsettles notes the inputs that decide a branch whose way is not known, for the registers that are set behind it.
func (w *warp) unsettles(r *ir.Region, branch *ir.Inst) {
	m := w.m
	m.unsettling.Lock()
	met := m.unsettlers[branch]
	m.unsettling.Unlock()
	if met { // by another warp, or in another round
		return
	}
	names, _ := m.open(branch)
	names = append(names, w.wordsOf(branch)...)
	m.unsettling.Lock()
	defer m.unsettling.Unlock()
	if m.unsettlers[branch] = true; len(names) == 0 {
		return
	}
	for _, k := range r.Insts {
		for _, d := range results(m.kernel.Insts[k].Results()) {
			if m.unsettled[d] == nil {
				m.unsettled[d] = names
			}
		}
	}
}

// decided reports whether the launch says what an input is.
func (m *machine) decided(name string) bool {
	switch base, _, _ := strings.Cut(name, "."); base {
	case "%ctaid":
		return m.launch.CTA != nil || m.launch.Grid == [3]int{1, 1, 1}
	case "%nctaid", "%nclusterid":
		return m.launch.Grid[0] != 0
	case "%clusterid":
		return m.launch.CTA != nil
	}
	return false
}

// miss notes an access of shared memory that is not followed: it takes part in no race.
func (w *warp) miss(in *ir.Inst, why limit.Reason) { w.lose(in, why, false) }

// lose is miss; beyond says that no shared memory has the address.
func (w *warp) lose(in *ir.Inst, why limit.Reason, beyond bool) {
	if w.outsideSeen[in.Place] {
		return
	}
	if w.outsideSeen == nil {
		w.outsideSeen = map[uint32]bool{}
	}
	w.outsideSeen[in.Place] = true
	m := w.m
	m.mu.Lock()
	defer m.mu.Unlock()
	at := &m.kernel.Places[in.Place]
	for k := range m.outside {
		if h := &m.outside[k]; h.Place == at { // whichever warp comes first
			if h.Beyond = h.Beyond || beyond; why.Text < h.Why.Text {
				h.Why = why
			}
		}
	}
	if !m.hidden[in.Place] {
		m.hidden[in.Place] = true
		names, memory := m.open(in)
		if w.passing != nil { // and whether it is made
			more, also := m.open(&ir.Inst{Op: ir.Branch, Guard: w.passing.Guard, A: ir.None})
			names, memory = append(names, more...), memory || also
		}
		m.outside = append(m.outside, Halt{Place: at, Why: why, Inputs: names, Memory: memory, Beyond: beyond})
	}
}

// goOn reports whether the limits allow more; it is asked now and then.
func (w *warp) goOn(f *fragment) bool {
	m := w.m
	var why limit.Reason
	switch {
	case !m.deadline.IsZero() && time.Now().After(m.deadline):
		why = limit.Time.Says("the time limit was hit")
	case len(w.out.Commands) > m.mostCommands:
		why = limit.Size.Says("the memory limit was hit")
	case m.mostWork > 0 && w.steps > m.mostWork:
		why = limit.Time.Says("it is more work than the limit")
	case w.steps > m.mostSteps:
		why = limit.Size.Says("more instructions in one warp than are followed: a loop may not end")
	default:
		return true
	}
	m.halt(m.kernel.Insts[f.pc].Place, Halt{Why: why})
	return false
}

var asDataSays = limit.DataBranch.Says("an access that may race is executed or not as data says")

// doubt notes an access that takes part in races but may not be executed, or not be there so long.
func (m *machine) doubt(place uint32, why Halt) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if old, again := m.unsure[place]; again {
		why.Why, why.Guard, why.Index, why.Ends = old.Why, old.Guard && why.Guard, old.Index && why.Index, old.Ends && why.Ends
		why.Memory = why.Memory || old.Memory
		why.Inputs = append(why.Inputs, old.Inputs...)
		slices.Sort(why.Inputs)
		why.Inputs = slices.Compact(why.Inputs)
	}
	why.Place = &m.kernel.Places[place]
	m.unsure[place] = why
}

// doubtGuarded notes an access that is executed or not as the guard of an instruction says; alone says that nothing else hides there, such as what orders it.
func (w *warp) doubtGuarded(place uint32, guarded *ir.Inst, alone bool, condition string) {
	m := w.m
	pair := [2]uint32{place, guarded.Place}
	m.mu.Lock()
	again := m.doubted[pair]
	m.doubted[pair] = true
	m.mu.Unlock()
	if again {
		return
	}
	names, memory := m.open(&ir.Inst{Op: ir.Branch, Guard: guarded.Guard, A: ir.None})
	data := memory || len(names) == 0
	guard, index := alone && data, data && !m.kernel.Picked(place)
	names = append(names, w.wordsOf(&ir.Inst{Op: ir.Branch, Guard: guarded.Guard, A: ir.None})...)
	if condition != "" {
		names = append(names, condition)
	}
	m.doubt(place, Halt{Why: asDataSays, Inputs: names, Memory: memory, Guard: guard, Index: index})
}

// doubtMask notes lanes that may come to a collective whose mask leaves them out, as the branch before it goes.
func (m *machine) doubtMask(in, branch *ir.Inst, condition string) {
	m.mu.Lock()
	_, again := m.masks[in.Place]
	m.mu.Unlock()
	if again {
		return
	}
	names, memory := m.open(&ir.Inst{Op: ir.Branch, Guard: branch.Guard, A: ir.None})
	m.mu.Lock()
	defer m.mu.Unlock()
	if condition != "" {
		names = append(names, condition)
	}
	m.masks[in.Place] = Halt{Place: &m.kernel.Places[in.Place], Why: limit.DataBranch.Says("lanes that the mask leaves out may come here"), Inputs: names, Memory: memory}
}

// peeked notes a test of an mbarrier that is not a loop: what follows may depend on its answer, which was taken to be false.
func (m *machine) peeked(place uint32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.peeks[place] = true
}

// assume notes something that the answer depends on, once.
func (m *machine) assume(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !slices.Contains(m.assumed, text) {
		m.assumed = append(m.assumed, text)
	}
}
