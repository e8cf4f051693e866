package emulate

import (
	"fmt"
	"runtime"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/program"
)

// Launch is how a kernel is launched. Extents of zero are taken from the kernel's directives.
type Launch struct {
	Block, Cluster, Grid [3]int
	CTA                  *[3]int // of which the answer is; nil: any
	Params               map[string]int64
	Limits               engine.Limits // Memory and Time
}

// Emulation is what is known of a kernel.
type Emulation struct {
	Launch  Launch // with what the directives say
	Program *order.Program
	Places  []*program.Instr // of commands
	Shared  []Variable       // that the kernel has
	Stop    *Stop            // where the emulation ended early
	Hidden  []Stop           // accesses of shared memory that are not in the program
	Unsure  map[uint32]bool  // places of accesses that are, and may not be executed
	Peeks   []Stop           // tests of mbarriers that are no loops: taken to fail
	Stuck   []Stop           // what warps wait for at the end, if not all came to theirs
	Tracked bool             // what shared memory holds decides control
	Assumed []string
	Elapsed time.Duration
}

// Limits against hostile input.
const (
	maxThreads   = 1024     // of a CTA
	maxCluster   = 16       // CTAs
	maxSteps     = 50 << 20 // instructions of a warp
	commandBytes = 28
)

// Kernel emulates a kernel of a file.
func Kernel(f *program.File, kernel *program.Function, l Launch) (*Emulation, error) {
	return emulate(f, kernel, l, false)
}

// emulate emulates a kernel. With values, it follows data as far as which are surely the same.
func emulate(f *program.File, kernel *program.Function, l Launch, values bool) (*Emulation, error) {
	begin := time.Now()
	if err := l.complete(kernel); err != nil {
		return nil, err
	}
	c, err := compile(f, kernel, values)
	if err != nil {
		return nil, err
	}
	if err := c.unknownParams(l.Params); err != nil {
		return nil, fmt.Errorf("kernel %s: %v", kernel.Name, err)
	}
	m := newMachine(c, l)
	m.program.Name = kernel.Name
	if l.Limits.Time > 0 {
		m.deadline = begin.Add(l.Limits.Time)
	}
	m.populate()
	memory := l.Limits.Memory
	if memory <= 0 {
		memory = 1 << 30
	}
	m.mostCommands = int(memory/commandBytes/2) / len(m.warps)
	m.run()
	out := &Emulation{Launch: l, Program: m.program, Places: c.places, Shared: c.module.sharedVariables(), Stop: m.stop, Hidden: m.outside, Tracked: c.tracked, Unsure: m.unsure,
		Assumed: append(c.assumed, m.assumed...), Elapsed: time.Since(begin)}
	for p := range m.peeks {
		out.Peeks = append(out.Peeks, Stop{c.places[p], "a test that is no loop"})
	}
	out.Stuck = m.stuck()
	sortStops(out.Peeks)
	sortStops(out.Hidden)
	sort.Strings(out.Assumed)
	return out, nil
}

func newMachine(c *code, l Launch) *machine {
	m := &machine{code: c, launch: l, symbols: newSymbols(), mbarriers: map[uint32]*mbarrier{}, hidden: map[uint32]bool{},
		unsure: map[uint32]bool{}, peeks: map[uint32]bool{}, mostSteps: maxSteps, mostCommands: maxInsts, program: &order.Program{WholeWarps: true}}
	for _, s := range c.slots {
		m.symbols.dirty[linear|symbol(s.register)] = s.pointer && c.writes[s.register]
	}
	return m
}

func sortStops(s []Stop) {
	sort.Slice(s, func(a, b int) bool { return s[a].Instr.Span.Start < s[b].Instr.Span.Start })
}

// complete takes what is not given from the kernel's directives (PTX ISA 11.4, 11.8).
func (l *Launch) complete(kernel *program.Function) error {
	said := map[string][3]int{}
	for _, a := range kernel.Attributes {
		call, ok := a.(*program.Call)
		if !ok {
			continue
		}
		name, ok := call.Fun.(*program.Name)
		if !ok {
			continue
		}
		extent := [3]int{1, 1, 1}
		for k, x := range call.Args {
			if n, ok := x.(*program.Int); ok && k < 3 && n.Value > 0 && n.Value <= 1<<31 {
				extent[k] = int(n.Value)
			}
		}
		said[name.Ident] = extent
	}
	if l.Block[0] == 0 {
		l.Block = said["reqntid"]
	}
	if l.Block[0] == 0 {
		l.Block = said["maxntid"]
	}
	if l.Block[0] == 0 {
		return fmt.Errorf("kernel %s has neither .reqntid nor .maxntid; say how many threads a CTA has with --block", kernel.Name)
	}
	if l.Cluster[0] == 0 {
		l.Cluster = said["reqnctapercluster"]
	}
	if l.Cluster[0] == 0 {
		l.Cluster = [3]int{1, 1, 1}
	}
	if n := volume(l.Block, maxThreads); n == 0 {
		return fmt.Errorf("kernel %s: a CTA has 1 to %d threads; give other extents with --block", kernel.Name, maxThreads)
	}
	if n := volume(l.Cluster, maxCluster); n == 0 {
		return fmt.Errorf("kernel %s: a cluster has 1 to %d CTAs; give other extents with --cluster", kernel.Name, maxCluster)
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

// unknownParams reports a parameter that is given and that the kernel does not read.
func (c *code) unknownParams(params map[string]int64) error {
	for name := range params {
		found := false
		for _, s := range c.slots {
			found = found || s.called(name)
		}
		if !found {
			return fmt.Errorf("it reads no parameter %s; names are those of the PTX, with +BYTES for parts", name)
		}
	}
	return nil
}

// called reports whether a name is that of a slot: name, or name+offset.
func (s *slot) called(name string) bool {
	return name == s.name && s.offset == 0 || name == fmt.Sprintf("%s+%d", s.name, s.offset)
}

// stuck lists what warps wait for when no one can go on.
func (m *machine) stuck() []Stop {
	var out []Stop
	for _, w := range m.warps {
		for _, f := range w.fragments {
			if m.stop == nil {
				// The wait itself stands before.
				out = append(out, Stop{m.code.places[m.code.insts[max(f.pc-1, 0)].place], "the emulation does not come past this wait"})
			}
		}
	}
	sortStops(out)
	return slices.CompactFunc(out, func(a, b Stop) bool { return a.Instr == b.Instr })
}

// run lets all warps come to their ends, side by side if they need nothing of each other.
func (m *machine) run() {
	if m.code.blocking {
		for again := true; again && m.stop == nil; {
			again = false
			for _, w := range m.warps {
				if w.run() {
					again = true
				}
			}
			again = again || m.settle()
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
