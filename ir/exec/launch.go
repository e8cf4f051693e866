package exec

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
)

// Launch is how a kernel is launched. Extents of zero are taken from the kernel's directives.
type Launch struct {
	Block, Cluster, Grid [3]int
	CTA                  *[3]int // of which the answer is; nil: any
	Params               map[string]int64
	Words                map[int32]int64 // what a word of global memory is that has no number by its name, by the register that it is loaded to: with another CTA it has another name
	Global               bool            // accesses of global memory are commands: the kernel is one of ReducedGlobal
	Other                *[3]int         // another CTA of the grid than CTA, which is executed beside it: both without clusters; nil: none
	Through              bool            // goes on behind what cannot be followed, as behind a call of which nothing is known
	Limits               engine.Limits   // Memory, Time and Work
}

// Execution is what is known of a kernel.
type Execution struct {
	Launch     Launch // with what the directives say
	Program    *order.Program
	Kernel     *ir.Kernel           // places of commands
	Stop       *Halt                // where the execution ended early
	Trap       *ir.Place            // that threads come to for sure
	Registers  [][]Allocation       // by warp, the changes of how many registers its threads have
	Faults     []Fault              // what it came to that must not be
	Hidden     []Halt               // accesses of shared memory that are not in the program
	Unsure     map[uint32]Halt      // accesses that are, and may not be executed, by place
	Peeks      []Halt               // tests of mbarriers that are no loops: taken to fail
	Masks      []Halt               // collectives that lanes may come to which their mask leaves out
	Stuck      []Halt               // what warps wait for at the end, if not all came to theirs
	Loaded     map[string][]int32   // registers that words of global memory are loaded to, by name
	Tracked    bool                 // what shared memory holds decides control
	Passed     [][]Passage          // by warp of the program: calls that may have synchronized, in order
	Agreed     []Halt               // what data decide and all threads were taken to decide alike, as the launch says
	Conditions map[string]Condition // what data decide, and the launch says or may say
	Partly     *ir.Place            // an arrival in a phase of an mbarrier that is not over at the end
	Trusted    []Trust              // branches around a trap that inputs decide
	Unmet      bool                 // lanes exchange values where data say which of them come
	Global     *Halt                // the first access of global memory that may race with one that it cannot be compared with
	Apart      *Halt                // the first one that was compared with no other
	Unawaited  bool                 // a part of a warp calls what is not followed, and is taken to wait for nobody there
	Assumed    []string
	Elapsed    time.Duration
	Steps      int64 // instructions of all warps
	symbols    *symbols
	laid       []tract // of global memory
	leads      map[symbol]string
	sums       *sums
}

// Passage is a call of which no more is known than that lanes came to it: behind so many commands of their warp.
type Passage struct {
	Index int
	Lanes uint32
	Place uint32
	Why   limit.Reason
}

// Memory is how many bytes the program takes.
func (e *Execution) Memory() (n int64) {
	for _, w := range e.Program.Warps {
		n += int64(cap(w.Commands)) * commandBytes
	}
	return n
}

// Limits against hostile input.
const (
	maxThreads   = 1 << 14  // of a CTA as it is stated
	maxCluster   = 16       // CTAs
	maxSteps     = 50 << 20 // instructions of a warp
	commandBytes = 28
	workShares   = 8 // no warp has less of the work than one of so many
)

// StepTime is what an instruction of a warp takes for the work that limits bound, about.
const StepTime = 350 * time.Nanosecond

// Blind reports whether values of a form may be the same although nothing says so: they are made of what is not modelled.
func (e *Execution) Blind(v order.Value) bool { return e.symbols.isBlind(v.Form) }

// Run executes a kernel that was reduced to what has a part in it.
func Run(c *ir.Kernel, l Launch) (*Execution, error) {
	begin := time.Now()
	if err := l.complete(c); err != nil {
		return nil, err
	}
	if l.Block[0] == 0 {
		return &Execution{Launch: l, Program: &order.Program{Name: c.Name}, Kernel: c, Elapsed: time.Since(begin),
			Stop: &Halt{Why: limit.LaunchShape.Says("the kernel has neither .reqntid nor .maxntid: --block says how many threads a CTA has")}}, nil
	}
	if err := unknownParams(c, l.Params); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", c.Name, err)
	}
	m := newMachine(c, l)
	m.program.Name = c.Name
	if l.Limits.Time > 0 {
		m.deadline = begin.Add(l.Limits.Time)
	}
	m.populate()
	if l.Limits.Work > 0 { // warps do not wait for each other to count
		m.mostWork = max(int64(l.Limits.Work/StepTime)/int64(min(len(m.warps), workShares)), 1)
	}
	if volume(l.Block, maxThreads) > ir.MaxThreads {
		m.assume(fmt.Sprintf("a CTA of more than %d threads, as it is stated; no GPU has that", ir.MaxThreads))
	}
	memory := l.Limits.Memory
	if memory <= 0 {
		memory = 1 << 30
	}
	m.mostCommands = int(memory/commandBytes/2) / len(m.warps)
	m.run()
	m.settleRows()
	steps := int64(0)
	for _, w := range m.warps {
		steps += w.steps
	}
	out := &Execution{Launch: l, Program: m.program, Kernel: c, Stop: m.stop, Hidden: m.outside, Tracked: c.Tracked, Unsure: m.unsure,
		Loaded: m.loaded, Trap: m.trap, Unmet: m.unmet, Conditions: m.conditions, Global: m.global, Apart: m.beyond, Assumed: slices.Concat(c.Assumed, m.assumed), Elapsed: time.Since(begin), symbols: m.symbols, laid: m.laid, leads: m.leads, sums: m.sums, Steps: steps}
	if m.global != nil {
		m.global.Inputs = m.ways(m.hangs[0])
	}
	if m.beyond != nil && m.hangs[1] != nil {
		if names, memory := m.open(m.hangs[1]); !memory {
			m.beyond.Inputs = names
		}
	}
	for p := range m.peeks {
		out.Peeks = append(out.Peeks, Halt{Place: &c.Places[p], Why: limit.Peek.Says("a test that is no loop")})
	}
	for _, h := range m.agreed {
		out.Agreed = append(out.Agreed, h)
	}
	sortHalts(out.Agreed)
	for _, h := range m.masks {
		out.Masks = append(out.Masks, h)
	}
	for _, h := range m.trusted {
		out.Trusted = append(out.Trusted, h)
	}
	sort.Slice(out.Trusted, func(a, b int) bool { return out.Trusted[a].Place.Span.Start < out.Trusted[b].Place.Span.Start })
	sortHalts(out.Masks)
	if out.Stuck = m.stuck(); len(out.Stuck) == 0 && m.stop == nil {
		m.keptColumns()
	}
	out.Partly = m.partly()
	for _, w := range m.warps {
		out.Passed = append(out.Passed, w.passages)
		out.Registers = append(out.Registers, w.allocations)
		out.Unawaited = out.Unawaited || w.unawaited
	}
	if out.Unawaited {
		out.Assumed = append(out.Assumed, "what a part of a warp calls waits for nobody")
	}
	out.Faults = m.faults
	sortHalts(out.Peeks)
	sortHalts(out.Hidden)
	sort.Strings(out.Assumed)
	return out, nil
}

func newMachine(c *ir.Kernel, l Launch) *machine {
	m := &machine{kernel: c, launch: l, symbols: newSymbols(), mbarriers: map[uint32]*mbarrier{}, within: [2]uint32{^uint32(0), 0}, pipes: map[pipe]uint32{}, hidden: map[uint32]bool{},
		unsure: map[uint32]Halt{}, doubted: map[[2]uint32]bool{}, words: map[symbol]string{}, pointers: map[symbol]int64{}, loaded: map[string][]int32{}, tracts: map[tract]uint32{}, addresses: map[int32]address{}, distances: map[string]*[2]map[symbol]bool{}, spots: map[string]*spots{}, peeks: map[uint32]bool{}, tickets: map[symbol]bool{}, leads: map[symbol]string{}, unsettled: map[result][]string{}, unsettlers: map[*ir.Inst]bool{}, spared: map[[2]int32]bool{}, masks: map[uint32]Halt{}, trusted: map[uint32]Trust{}, conditions: map[string]Condition{}, named: map[int32]string{}, ends: map[int32][2]bool{}, agreed: map[uint32]Halt{},
		counts: c.Mbarriers(), mostSteps: maxSteps, mostCommands: ir.MaxInsts, program: &order.Program{WholeWarps: true}}
	m.sums = &sums{symbols: m.symbols, known: map[symbol]*sum{}}
	m.called = !m.counts && !slices.ContainsFunc(c.Insts, func(in ir.Inst) bool {
		all := in.Op == ir.BarrierCTA && in.Flags&ir.Arrives == 0 && in.A == (ir.Operand{Reg: -1}) && in.B == (ir.Operand{Reg: -1})
		return in.Op == ir.Outside && in.Flags&ir.MayMeet == 0 || in.Op == ir.BarrierCluster && in.Scope != ir.ScopeGPU || in.Op == ir.BarrierCTA && !all
	})
	m.vague = slices.ContainsFunc(c.Insts, func(in ir.Inst) bool { return in.Op == ir.Outside && in.Flags&ir.MayMeet == 0 })
	m.whole = m.called && !slices.ContainsFunc(c.Insts, func(in ir.Inst) bool { return in.Op == ir.Outside })
	if m.whole && l.Global {
		m.alike = c.UniformIfUnchanged()
	}
	var bases map[int32]bool
	m.isPointer = func(s *ir.Parameter) bool {
		if bases == nil {
			bases = c.Bases()
		}
		return s.Pointer && bases[s.Register]
	}
	for _, s := range c.Given() {
		if s.Pointer {
			m.leads[m.symbols.input(s.Register)] = s.Called()
		}
		m.symbols.dirty[m.symbols.input(s.Register)] = s.Pointer && c.Writes[s.Register]
		if n, given := l.Params[s.Called()]; given && m.isPointer(&s) {
			m.pointers[m.symbols.input(s.Register)] = n
		}
	}
	return m
}

func sortHalts(s []Halt) {
	sort.Slice(s, func(a, b int) bool { return s[a].Place.Span.Start < s[b].Place.Span.Start })
}

// complete takes what is not given from the kernel's directives (PTX ISA 11.4, 11.8).
func (l *Launch) complete(c *ir.Kernel) error {
	if l.Block[0] == 0 {
		l.Block = c.Directives["reqntid"]
	}
	if l.Block[0] == 0 {
		l.Block = c.Directives["maxntid"]
	}
	if l.Cluster[0] == 0 {
		l.Cluster = c.Directives["reqnctapercluster"]
	}
	if l.Cluster[0] == 0 {
		l.Cluster = [3]int{1, 1, 1}
	}
	if n := volume(l.Block, maxThreads); n == 0 && l.Block[0] != 0 {
		return limit.LaunchShape.Sayf("kernel %s: CTAs of 1 to %d threads are executed; give other extents with --block", c.Name, maxThreads)
	}
	if n := volume(l.Cluster, maxCluster); n == 0 {
		return limit.LaunchShape.Sayf("kernel %s: clusters of 1 to %d CTAs are executed; give other extents with --cluster", c.Name, maxCluster)
	}
	return nil
}

// volume multiplies extents; 0 where the product is not between 1 and most.
func volume(extent [3]int, most int) int {
	n := 1
	for _, e := range extent {
		if e < 1 || e > most {
			return 0
		}
		n *= e
	}
	if n > most {
		return 0
	}
	return n
}

// IsWord reports whether an input is a word of global memory.
func IsWord(input string) bool { return strings.HasPrefix(input, "[") }

// IsCondition reports whether an input is which way a branch goes.
func IsCondition(input string) bool { return strings.HasPrefix(input, "?") }

// unknownParams reports a parameter that is given and that the kernel does not have.
func unknownParams(k *ir.Kernel, params map[string]int64) error {
	for _, given := range slices.Sorted(maps.Keys(params)) {
		if IsWord(given) || IsCondition(given) {
			continue
		}
		name, _, _ := strings.Cut(given, "+")
		if _, special := k.Special[given]; !special && !slices.Contains(k.Formals, name) {
			return limit.Input.Sayf("it has no parameter %s; it has %s, with +BYTES for parts", given, strings.Join(k.Formals, ", "))
		}
	}
	return nil
}

// stuck lists what warps wait for when no one can go on.
func (m *machine) stuck() []Halt {
	var out []Halt
	for _, w := range m.warps {
		for _, f := range w.fragments {
			if m.stop == nil {
				// The wait itself stands before.
				out = append(out, Halt{Place: &m.kernel.Places[m.kernel.Insts[max(f.pc-1, 0)].Place], Why: limit.Unshown.Says("the execution does not come past this wait")})
			}
		}
	}
	sortHalts(out)
	return slices.CompactFunc(out, func(a, b Halt) bool { return a.Place == b.Place })
}

// run lets all warps come to their ends, side by side if they need nothing of each other.
func (m *machine) run() {
	if m.kernel.Blocking {
		for again := true; again && m.stop == nil; {
			again = false
			for _, w := range m.warps {
				if w.run() {
					again = true
				}
			}
			again = again || m.settleAll()
			for k := 0; k < len(m.warps) && !again; k++ {
				again = m.warps[k].release()
			}
		}
		return
	}
	next := make(chan *warp)
	var all sync.WaitGroup
	for k := 0; k < min(runtime.GOMAXPROCS(0), len(m.warps)); k++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for w := range next {
				w.run()
				w.registers, w.buffers, w.predicates = nil, nil, nil
			}
		}()
	}
	for _, w := range m.warps {
		next <- w
	}
	close(next)
	all.Wait()
}
