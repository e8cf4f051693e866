package lower

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/build"
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/inquiry"
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/source"
)

// machine evaluates one kernel for one group of threads of one CTA, and records what is left: a straight line of
// synchronization operations, with the memory accesses between them.
type machine struct {
	in        *instance
	mod       *value.Module // whose code is running
	file      *program.File // mod.file
	cta       int64
	threads   []int64      // linear thread indices of the group, ascending
	globals   *value.Scope // mod.globals
	depth     int          // calls
	fuel      int          // statements and expressions left
	host      bool
	at        program.Node           // what is evaluated
	trying    int                    // bodies of try statements
	unbounded int                    // loops around that go round as often as an unknown says
	walks     map[trendPlace]*walkOf // of narrow numbers made in them
	endless   int                    // loops of the host side that only a break ends
	active    []active
	around    []*running                                       // the loops that are being executed
	regions   []region                                         // staged statements around
	kept      map[int]map[*value.Object]map[string]value.Value // by the depth of a call, what objects were before its statements made them their own
	deciding  *program.If                                      // whose test is evaluated
	led       []value.Answered                                 // tests that led to where it is
	compared  map[program.Node]sides
	tracing   bool // inside a @cute.jit function of the host side
	unnamed   int  // things that models made of data on the host side

	// sampling: what is evaluated may or may not happen (speculate.go). maybes are the blocks it accesses in ways that
	// are only right if it happens; forks counts the copies of the state.
	sampling bool
	pending  outstanding
	maybes   []perhaps
	forks    int
	carried  int                        // accesses that went on behind meetings of lanes
	blurred  int                        // values that warps have each for itself, and that no one value stands for
	takers   []value.Lanes              // who takes each branch around that is taken both ways; nil where that is not known
	met      int                        // operations of whole warps among it
	effects  int                        // operations performed that do more than compute
	computed map[computed]value.Value   // what calls of functions that only compute were worth for these threads
	skipping map[*program.Function]bool // functions whose call is being skipped (forget.go)

	left     bool // the kernel before its end
	reinits  []build.Reinit
	ops      []protocol.Op
	blocks   [][]protocol.Access
	touched  []touched // memory operations met
	constant string    // the number that the running statement stores, where it is one that is not computed with
	underway
	arrivals map[int]int64    // arrivals on each mbarrier
	waits    map[string]int   // completed waits, by the name of the mbarrier
	allocs   map[allocKey]int // how often each allocation site ran
	grids    int              // grid-wide barriers passed
	tries    map[string]int   // how often the result of a try_wait was asked for, by place
	tickets  map[string]int64 // how many numbers a thread took from a counter
	heard    map[string]int   // shuffles executed, by place
	said     spoken           // what this group's lanes gave the others in shuffles
	inquired []string         // what its warps looked for together, in order
	worked   []string         // what of that was work (follows)
	launch   *launch          // host runs: what .launch asked for
	via      viaCall          // the call of the wrapper or library function being executed; zero outside these
	joints   map[joint]int    // how often the lanes of the group were taken to run together at a place
	caught   value.Value      // the exception being handled, for a bare raise
	polling  bool             // inside the condition or body of a spin: plain loads of global memory are flag reads

	answered   []answered    // what was asked of unknowns
	inquiry    *inquiry.Call // the call around that may be one
	peeked     map[protocol.Site]*value.Peek
	letters    map[memory.Place][]memory.Letter // values stored to shared memory, in order
	deliveries []memory.Delivery                // values read from it
	released   map[memory.Signal][]int
	hearings   map[*machine]*memory.Hearing

	watch *watch // what it asks for is recorded; nil as a rule
}

// viaCall is the place of a call in the user's code.
type viaCall struct {
	file *program.File
	span source.Span
}

type allocKey struct {
	mod  *value.Module
	span source.Span
	name string
}

// The evaluator leaves a run early by panicking with one of these; runGroup recovers them. They never leave the package.
type (
	// split asks to run the group's threads again as separate groups, one a value.
	split struct{ parts [][]int64 }
	// opaque says that evaluation cannot go on at a place that could touch synchronization.
	opaque struct {
		file *program.File
		span source.Span
		why  limit.Reason
	}
	// restart asks to evaluate the instance again: a block turned out to be a flag.
	restart struct{}
)

const (
	// maxFuel bounds one group's run, kernelFuel all runs of a kernel: steps are counted, not seconds, so that the
	// same file gives the same answer on every machine.
	maxFuel    = 1_000_000
	kernelFuel = 12_000_000
	// Of a kernel whose launch is not known nothing is decided: what is in the way besides shows soon.
	hopelessMax  = 250_000
	hopelessFuel = 500_000
	maxOps       = 60_000
	maxDepth     = 64
	maxTrips     = 1 << 20
)

func (m *machine) stop(n program.Node, code limit.Code, format string, args ...any) {
	var sp source.Span
	if n != nil {
		sp = n.Where()
	}
	f, sp := m.place(sp)
	panic(opaque{f, sp, code.Sayf(format, args...)})
}

// spend pays for work that is not evaluation.
func (m *machine) spend(steps int) {
	m.fuel -= steps
	m.in.low.fuel -= steps
}

func (m *machine) burn(n program.Node) {
	m.at = n
	m.fuel--
	m.in.low.fuel--
	if m.in.low.clock.out() {
		m.stop(n, limit.Time, timeIsUp)
	}
	if m.fuel < 0 || m.in.low.fuel < 0 && !m.host {
		m.shorten()
		m.stop(n, limit.Size, "evaluation takes more than %d steps", m.in.low.most)
	}
}

// truth decides a condition for the whole group: it may ask for a split or for the value of an unknown.
func (m *machine) truth(v value.Value, n program.Node) bool {
	switch v := value.Untyped(v).(type) {
	case value.Int:
		m.asksTruth(n, v)
		return v != 0
	case value.Lanes:
		truths := make(value.Lanes, len(v))
		for i, x := range v {
			truths[i] = int64(value.Bool(x != 0))
		}
		if t, ok := truths.Shrink().(value.Int); ok {
			return t != 0
		}
		m.splitOn(truths)
	case value.Symbol:
		m.testsTruth(n, v)
		return m.resolve(v.Expr, true) != 0
	case value.None:
		return false
	case value.Text:
		return v != ""
	case *value.Sequence:
		return len(v.Elems) > 0
	case *value.Mapping:
		return len(v.Order) > 0
	case *value.Object:
		return m.objectTruth(v, n)
	case *value.Closure, value.Pointer, *value.Class, value.ModuleRef, *cute.Tensor, *cute.Layout, *cute.TiledMMA, *value.PartialCall, value.BoundMethod, value.SuperRef, *value.Exception:
		return true
	case value.Float:
		return v != 0
	case *value.EnumMember:
		if k, ok := value.Whole(v).(value.Int); ok {
			return k != 0
		}
		return true
	case value.Path:
		return m.resolve(&value.Expr{Atom: string(v)}, true) != 0
	case value.Mixed:
		if n := m.separate(v, true); !value.IsData(n) {
			return m.truth(n, nil)
		}
	case value.FlagTest, value.FlagValue:
		m.stop(n, limit.DataBranch, "branch on a value read from memory that other threads change")
	case value.TryResult:
		return m.guess(v, n) != v.Negated
	}
	if m.launch != nil {
		m.tookFor(n, false)
		return false
	}
	m.stop(n, limit.DataBranch, "branch on data that is only known when the kernel runs")
	return false
}

// splitOn restarts the group as one group a value.
func (m *machine) splitOn(v value.Lanes) {
	var order []int64
	parts := map[int64][]int64{}
	for i, x := range v {
		if _, ok := parts[x]; !ok {
			order = append(order, x)
		}
		parts[x] = append(parts[x], m.threads[i])
	}
	s := split{}
	for _, x := range order {
		s.parts = append(s.parts, parts[x])
	}
	panic(s)
}

// count gives an integer that must be known and the same for the group: an arrival count, an index, a trip count.
func (m *machine) count(v value.Value, n program.Node, what string) int64 {
	switch v := value.Whole(v).(type) {
	case value.Int:
		return int64(v)
	case value.Float: // 128 / 32 is one in Python
		if n, ok := value.Truncated(float64(v)).(value.Int); ok && value.Float(n) == v {
			return int64(n)
		}
	case value.Lanes:
		m.splitOn(v)
	case value.Symbol:
		return m.resolve(v.Expr, false)
	case value.Path:
		return m.resolve(&value.Expr{Atom: string(v)}, false)
	case value.Mixed:
		if k := m.separate(v, false); !value.IsData(k) {
			return m.count(k, n, what)
		}
	}
	m.stop(n, limit.RunTime, "%s is not known before the kernel runs", what)
	return 0
}

// table is the dialect of the machine's file.
func (m *machine) table() *dialect.Table { return m.in.low.table }

// site interns a source place. An operation in a wrapper stands where the wrapper is called: that is the line its author
// looks for (notes/cuda.md, fact 1).
func (m *machine) site(s source.Span, format string, args ...any) int {
	f, s := m.place(s)
	return m.in.site(protocol.Site{Path: f.Source.Name, Line: f.Source.Position(s.Start).Line, Text: fmt.Sprintf(format, args...)})
}

// bare is the place of a node, without a word on what happens there.
func (m *machine) bare(n program.Node) protocol.Site {
	f, at := m.place(n.Where())
	return protocol.Site{Path: f.Source.Name, Line: f.Source.Position(at.Start).Line}
}

// place is where something at a span of the running function stands for its reader.
func (m *machine) place(s source.Span) (*program.File, source.Span) {
	if m.via.file != nil {
		return m.via.file, m.via.span
	}
	return m.file, s
}

// noteOpaque notes what is not modelled at a place of the running function.
func (m *machine) noteOpaque(at source.Span, why limit.Reason, matters bool) {
	f, at := m.place(at)
	m.in.noteOpaque(f, at, why, matters)
}

// enter makes a module the one whose code runs; the result goes back.
func (m *machine) enter(mod *value.Module) (leave func()) {
	old := m.mod
	if mod == old || mod == nil || mod.File == nil {
		return func() {}
	}
	m.mod, m.file, m.globals = mod, mod.File, mod.Globals
	return func() {
		if old != nil {
			m.mod, m.file, m.globals = old, old.File, old.Globals
		}
	}
}

// emit appends one operation.
func (m *machine) emit(op protocol.Op, n program.Node) {
	if len(m.ops) >= maxOps {
		m.shorten()
		m.stop(n, limit.Size, "more than %d synchronization operations in one thread", maxOps)
	}
	m.ops = append(m.ops, op)
	m.blocks = append(m.blocks, nil)
	m.goOn()
}

// access records a read or write of memory between the last operation and the next.
func (m *machine) access(p value.Pointer, width int64, n program.Node) {
	m.accessing(p, protocol.Access{Write: false}, width, n)
}

// accessing records an access of elements that a pointer points to: a is what else is known of it.
func (m *machine) accessing(p value.Pointer, a protocol.Access, width int64, n program.Node) {
	if m.host || p.Block == nil || p.Block.Mbarrier {
		return
	}
	if p.Block.InColumns() {
		m.in.untracked(value.TensorColumns, otherwise)
		return
	}
	if !p.Block.Shared && m.in.flagBlocks[p.Block.Name] {
		return
	}
	if a.Write && !p.Block.Shared {
		m.in.writes(p.Block.Name)
	}
	m.reachesAt(p, a.Write, false, width, n)
	m.inCTA(p, a, width, n)
}

// inCTA records an access for what threads of one CTA or cluster do to each other's memory.
func (m *machine) inCTA(p value.Pointer, a protocol.Access, width int64, n program.Node) {
	if m.host || p.Block == nil || p.Block.Mbarrier {
		return
	}
	if s, moved := p.Offset.(memory.Swizzled); moved {
		m.swizzled(p, s, a, width, n)
		return
	}
	width = p.Spans(width)
	if m.sampling && !p.Block.Shared {
		m.maybes = append(m.maybes, perhaps{p.Block.Name, m.bare(n)})
		return
	}
	m.operates(p.Block, n)
	at := m.relative(p)
	if _, exact := at.(value.Int); a.Write && (!exact || width != 1 || m.sampling) {
		if m.in.vague[p.Block.Name] = true; a.Stored == 0 || a.Stored != m.in.storedAs(addressOf) {
			m.blurs(p.Block)
		}
	}
	buf := m.buffer(p, n)
	switch off := at.(type) {
	case value.Int:
		a.Elements = []protocol.Range{{Lo: int(off), Hi: int(int64(off) + width)}}
	case value.Lanes:
		a.Elements = make([]protocol.Range, len(off))
		for i, x := range off {
			a.Elements[i] = protocol.Range{Lo: int(x), Hi: int(x + width)}
		}
	default:
		if !p.Block.Shared {
			m.in.untracked(p.Block.Name, "an index that is only known when the kernel runs")
			return
		}
		a.Elements, a.Parts = memory.Somewhere.Ranges, protocol.Somewhere
		if p.Each != value.Odd && a.Share == 0 {
			a.Share = m.shareOfResidues(p.Block, value.CanonicalType(value.FirstOf(p.Block.Elem, p.Elem)), at, width)
		}
	}
	if p.Each == value.Odd { // some of the bytes of these
		a.Parts = protocol.Somewhere
	}
	for _, r := range a.Elements {
		if r.Hi == memory.Anywhere {
			break
		}
		if r.Lo < 0 || p.Block.Elements > 0 && r.Hi > int(p.Block.Elements) {
			m.in.untracked(p.Block.Name, "an index outside the allocation")
			return
		}
		m.in.reaches(buf, r.Hi)
	}
	verb := "read"
	if a.Write {
		verb = "write"
	}
	a.Buffer, a.Maybe = buf, a.Maybe || m.sampling
	a.Site = m.site(n.Where(), "%s %s", verb, m.in.bufferName(buf, a.Elements))
	m.record(a, p.Block.Name)
}

// settle resolves a symbol whose unknowns already have values; it never asks for new ones.
func (m *machine) settle(v value.Value) value.Value {
	v = value.Whole(v)
	switch v.(type) {
	case value.Symbol, value.Mixed:
		if n, ok := m.known(v); ok {
			return n
		}
	}
	return v
}

// swizzled records an access through a swizzle: to some place of the block, which accesses through the same swizzle do not meet by that,
// and to a place of its own in what these see of it.
func (m *machine) swizzled(p value.Pointer, s memory.Swizzled, a protocol.Access, width int64, n program.Node) {
	seen := p
	seen.Offset = s.At
	if s.Within(m.settle(s.At), p.Spans(width), p.Block.Size) {
		seen.Block = m.in.seenThrough(p.Block, s.By)
		m.inCTA(seen, a, width, n)
		a.Share = m.shareOfSwizzle(p.Block, s)
	}
	m.inCTA(p.Somewhere(), a, width, n)
}

func (m *machine) shareOfSwizzle(b *value.Block, s memory.Swizzled) int {
	return m.in.share(cute.Partitioning{How: "swizzle " + s.By, View: b.Name})
}

// buffer gives the index of the tracked buffer a pointer points into.
func (m *machine) buffer(p value.Pointer, n program.Node) int {
	cta := -1
	if p.Block.Shared {
		cta = int(m.ctaOf(p, n))
	}
	return m.in.buffer(p.Block, cta)
}

// ctaOf gives the rank of the CTA whose shared memory p points into.
func (m *machine) ctaOf(p value.Pointer, n program.Node) int64 {
	if p.Cta == nil {
		return m.cta
	}
	c := m.count(p.Cta, n, "the rank of the peer CTA")
	if c < 0 || c >= int64(m.in.ctas) {
		m.stop(n, limit.Undefined, "peer rank %d is outside the cluster of %d", c, m.in.ctas)
	}
	return c
}
