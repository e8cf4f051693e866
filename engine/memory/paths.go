package memory

// A path is one way through the code of a thread, with values left open: what memory yields is not known yet.
type path struct {
	thread int
	events []event
	nodes  []node
	tests  []test
	regs   []int // node of each register at the end
	end    ending
	spins  []int // of a path that ends spinning: its events that read in the last round
	spun   int   // rounds of waits that it goes round and does nothing, of races: 0 or 1
	meets  []meeting
}

// ending says how a path ends.
type ending uint8

const (
	exits   ending = iota
	spins          // goes round for ever, as long as memory stays as it is
	blocked        // stands at its last event, a barrier, for ever
	waits          // waits at its last event for a phase that never completes
)

type eventKind uint8

const (
	eventInit eventKind = iota
	eventRead
	eventWrite
	eventFence
	eventBarrier
	eventNothing // the write of a read-modify-write that leaves its cell as it is, in a round that goes on for ever
	eventSetup   // mbarrier.init
	eventArrive  // a contribution to a phase: arrivals, bytes
	eventWait    // saw a phase
	eventGroups  // waited for groups of copies
)

// taint is a set of events of a path, by index.
type taint [maxEvents / 64]uint64

// maxEvents bounds the events of a path; paths that get longer are cut.
const maxEvents = 256

func (t taint) with(u taint) taint {
	for i := range t {
		t[i] |= u[i]
	}
	return t
}

func (t *taint) add(i int)      { t[i>>6] |= 1 << (i & 63) }
func (t *taint) drop(i int)     { t[i>>6] &^= 1 << (i & 63) }
func (t *taint) has(i int) bool { return t[i>>6]>>(i&63)&1 != 0 }

// event is one event of a path.
type event struct {
	kind   eventKind
	in     *instruction
	value  int // node: of a read what it yields, of a write what it stores
	rmw    bool
	source int   // of the write of a read-modify-write: its read
	deps   taint // reads that it depends on

	agent  int   // 0: the thread; else the engine that does what one instruction asked for
	asked  int   // of an engine: events of the path before this one come first
	after  []int // events of engines that come before, by index
	signal *contribution
}

// contribution is what an event does to an object: arrives or waits.
type contribution struct {
	object    int
	count, tx int64
	drop      bool
	token     int   // of a wait: the arrival whose phase it waits for, or -1
	parity    int64 // of a wait without a token: that of the phase it waits for
	asks      bool  // of a wait: goes on in any case
}

// node is a value: a number, what a read yields, or a function of other nodes.
type node struct {
	op      nodeOp
	fn      string
	a, b, c int
	imm     int64
	deps    taint
}

type nodeOp uint8

const (
	nodeNumber nodeOp = iota
	nodeRead          // a: event
	nodeArith         // fn(a, b)
	nodeCAS           // a: old, b: compared, c: new
	nodeToken         // a: event, an arrival
	nodePassed        // a: event, a wait: whether the phase was over
)

// test is a branch that went one way.
type test struct {
	fn   string
	a, b int
	want bool
}

// meeting is a barrier that a path comes to.
type meeting struct {
	event      int
	label      string
	occurrence int // how often the path has come to one of this label before
	id, quorum int // nodes, or -1
	arrive     bool
}

// limits of what is enumerated.
const (
	maxNodes     = 2048    // values of a path
	maxWalked    = 500_000 // instructions, events and values of all paths of all threads
	maxExecution = 1024    // events of an execution
)

// walker enumerates the paths of a thread.
type walker struct {
	program *Program
	thread  *thread
	index   int
	mode    Property
	bound   int // rounds of loops that do something
	live    [][]bool
	quiet   []bool // by cell
	out     []*path
	cut     int  // line of a loop that was cut at the bound, or 0
	left    *int // of maxWalked, for all threads
	flooded bool
	unclear string // why a path was given up
}

// state is a path under way.
type state struct {
	path
	at      int
	control taint
	visits  []visit // by instruction that is a target of a branch back
	engines
}

// visit is when a path was last at a place.
type visit struct {
	events int // events before it; -1: never
	rounds int // of those that did something
	wrote  []bool
}

func pathsOf(p *Program, index int, mode Property, bound int, left *int) *walker {
	w := &walker{program: p, thread: &p.threads[index], index: index, mode: mode, bound: bound, left: left}
	w.live, w.quiet = liveness(p, index), quiet(p)
	s := &state{path: path{thread: index}}
	for _, v := range w.thread.initial {
		s.regs = append(s.regs, s.node(node{imm: v}))
	}
	s.visits = make([]visit, len(w.thread.code)+1)
	for i := range s.visits {
		s.visits[i].events = -1
	}
	w.walk(s)
	return w
}

func (s *state) node(n node) int {
	s.nodes = append(s.nodes, n)
	return len(s.nodes) - 1
}

func (s *state) operand(o operand) int {
	switch o.kind {
	case register:
		return s.regs[o.reg]
	case number:
		return s.node(node{imm: o.imm})
	}
	return -1
}

// clone copies what grows or is written.
func (w *walker) clone(s *state) *state {
	w.spend(len(s.events) + len(s.nodes) + len(s.visits)/4)
	c := *s
	c.events = append([]event(nil), s.events...)
	c.engines = s.engines.clone()
	c.nodes = append([]node(nil), s.nodes...)
	c.tests = append([]test(nil), s.tests...)
	c.regs = append([]int(nil), s.regs...)
	c.meets = append([]meeting(nil), s.meets...)
	c.visits = append([]visit(nil), s.visits...)
	for i := range c.visits {
		c.visits[i].wrote = append([]bool(nil), s.visits[i].wrote...)
	}
	return &c
}

func (w *walker) spend(n int) {
	if *w.left -= n; *w.left < 0 {
		w.flooded = true
	}
}

func (w *walker) finish(s *state, end ending) {
	p := w.clone(s).path
	p.end = end
	w.out = append(w.out, &p)
}

// walk follows s until it ends, and both ways where a branch is open.
func (w *walker) walk(s *state) {
	code := w.thread.code
	for s.at < len(code) && !w.flooded {
		w.spend(1)
		in := &code[s.at]
		if len(s.events) > maxEvents-4 || len(s.nodes) > maxNodes {
			w.cut = in.line
			return
		}
		if v := &s.visits[s.at]; v.events != -1 || w.isTarget(s.at) {
			v.events = len(s.events)
			v.wrote = make([]bool, len(s.regs))
		}
		if in.op != opBranch {
			if !w.step(s, in) {
				return
			}
			s.at++
			continue
		}
		taken, open := true, false
		if in.fn != "goto" {
			taken, open = w.decide(s, in)
		}
		if open {
			other := w.clone(s)
			w.assume(other, in, true)
			if w.jump(other, in) {
				w.walk(other)
			}
			w.assume(s, in, false)
			s.at++
			continue
		}
		if !taken {
			s.at++
		} else if !w.jump(s, in) {
			return
		}
	}
	if !w.flooded {
		w.finish(s, exits)
	}
}

func (w *walker) isTarget(at int) bool {
	for i := range w.thread.code {
		if in := &w.thread.code[i]; in.op == opBranch && in.target == at {
			return true
		}
	}
	return false
}

// decide evaluates a branch on numbers.
func (w *walker) decide(s *state, in *instruction) (taken, open bool) {
	a, b := s.nodes[s.operand(in.args[0])], s.nodes[s.operand(in.args[1])]
	if a.op != nodeNumber || b.op != nodeNumber {
		return false, true
	}
	return compare(in.fn, a.imm, b.imm), false
}

func (w *walker) assume(s *state, in *instruction, want bool) {
	t := test{fn: in.fn, a: s.operand(in.args[0]), b: s.operand(in.args[1]), want: want}
	s.tests = append(s.tests, t)
	s.control = s.control.with(s.nodes[t.a].deps).with(s.nodes[t.b].deps)
}

// step makes the events of an instruction; false if the path ends here.
func (w *walker) step(s *state, in *instruction) bool {
	switch in.op {
	case opLoad:
		w.set(s, in.dst, s.read(in, false))
	case opStore:
		s.write(in, s.operand(in.args[0]), false)
	case opRMW:
		w.update(s, in)
	case opFence, opProxyFence:
		s.events = append(s.events, event{kind: eventFence, in: in, deps: s.control})
	case opBarrier:
		n := 0
		for _, m := range s.meets {
			if m.label == in.label {
				n++
			}
		}
		s.meets = append(s.meets, meeting{len(s.events), in.label, n, s.operand(in.args[0]), s.operand(in.args[1]), in.arrive})
		s.events = append(s.events, event{kind: eventBarrier, in: in, deps: s.control})
		if w.mode == Termination && !in.arrive {
			w.finish(s, blocked)
		}
	case opMove:
		w.set(s, in.dst, s.operand(in.args[0]))
	case opArith:
		w.set(s, in.dst, s.arith(in.fn, s.operand(in.args[0]), s.operand(in.args[1])))
	case opInit, opArrive, opWait, opSync:
		return w.signal(s, in)
	case opEngine, opCommit, opGroups, opOrder:
		w.engine(s, in)
	}
	return true
}

func (w *walker) set(s *state, reg, value int) {
	if reg < 0 {
		return
	}
	s.regs[reg] = value
	for i := range s.visits {
		if s.visits[i].wrote != nil {
			s.visits[i].wrote[reg] = true
		}
	}
}

func (s *state) read(in *instruction, rmw bool) int {
	var self taint
	self.add(len(s.events))
	v := s.node(node{op: nodeRead, a: len(s.events), deps: self})
	s.events = append(s.events, event{kind: eventRead, in: in, value: v, rmw: rmw, deps: s.control})
	return v
}

func (s *state) write(in *instruction, value int, rmw bool) {
	s.events = append(s.events, event{kind: eventWrite, in: in, value: value, rmw: rmw, source: len(s.events) - 1,
		deps: s.control.with(s.nodes[value].deps)})
}

// update makes the two events of a read-modify-write. A cas that fails writes the old value back.
func (w *walker) update(s *state, in *instruction) {
	a, b := s.operand(in.args[0]), s.operand(in.args[1])
	old := s.read(in, true)
	value := a
	switch in.fn {
	case "exch":
	case "cas":
		value = s.node(node{op: nodeCAS, a: old, b: a, c: b,
			deps: s.nodes[old].deps.with(s.nodes[a].deps).with(s.nodes[b].deps)})
	default:
		value = s.arith(in.fn, old, a)
	}
	s.write(in, value, true)
	w.set(s, in.dst, old)
}

func (s *state) arith(fn string, a, b int) int {
	x, y := &s.nodes[a], &s.nodes[b]
	if x.op == nodeNumber && y.op == nodeNumber {
		if v, ok := arithmetic(fn, x.imm, y.imm); ok {
			return s.node(node{imm: v})
		}
	}
	return s.node(node{op: nodeArith, fn: fn, a: a, b: b, deps: x.deps.with(y.deps)})
}
