package rules

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/litmus"
	"github.com/fencepost-dev/fencepost/program"
)

// The cells and registers of a cut; see package litmus.
const (
	dataCell = "data"
	flagCell = "flag"
	flagReg  = 0
	dataReg  = 1
	otherReg = 9
)

// cutter makes the steps of one side.
type cutter struct {
	*Pass
	from, to *site // the operations on data and flag, in program order
	two      bool  // threads of their own execute them
	warp     bool  // lanes of one warp
	side     *litmus.Side
	sites    [2][]*site // the site of each step
	bars     int
	async    bool   // an engine takes part, so proxy fences count
	prefix   string // of the names of its barriers
}

// cut is a side as it may be: Doubt says what it takes for granted.
type cut struct {
	side  *litmus.Side
	doubt string
}

// cuts cuts a side for the threads that it surely is of. Where part of the CTA works on the flag and all of it on the
// data, each thread may mean its own data only, or those of all: both are cut, the second with a doubt.
func (p *Pass) cuts(data, flag *site, cutOne func(data, flag *site, two bool) *litmus.Side) []cut {
	c := &cutter{Pass: p}
	if c.group(data, flag) {
		return []cut{{side: cutOne(data, flag, false)}}
	}
	if flag.threads().single() || data.threads() != everyone {
		return nil
	}
	return []cut{{side: cutOne(data, flag, false)}, {cutOne(data, flag, true), "each thread may hand on only what is its own"}}
}

// publisher cuts the threads that write data at o and publish a flag at s: other threads than the one that publishes
// where they surely are, or where two says so.
func (p *Pass) publisher(o, s *site, two bool) *litmus.Side {
	c := &cutter{Pass: p, from: o, to: s, prefix: "1"}
	c.group(o, s)
	c.two = c.two || two
	c.side = &litmus.Side{Location: p.location(s.span), Order: order(s)}
	if c.two {
		c.side.Threads = []litmus.Thread{{Name: "a thread that writes data"}, {Name: "the thread that publishes"}}
		c.side.Flag = 1
	} else {
		c.side.Threads = []litmus.Thread{{Name: "a thread that writes and publishes"}}
	}
	c.add(c.side.Data, o, c.write(o, dataCell)...)
	c.path()
	c.add(c.side.Flag, s, c.write(s, flagCell)...)
	c.publisherRepairs()
	return c.side
}

// consumer cuts the threads that wait for a flag at s and read data at r.
func (p *Pass) consumer(r, s *site, two bool) *litmus.Side {
	c := &cutter{Pass: p, from: s, to: r, prefix: "2", async: r.op.Kind == dialect.TmaLoad}
	c.group(r, s)
	c.two = c.two || two
	c.side = &litmus.Side{Location: p.location(s.span), Order: spinOrder(s), Ticket: s.spin == nil}
	if c.two {
		c.side.Threads = []litmus.Thread{{Name: "the thread that waits"}, {Name: "a thread that reads data"}}
		c.side.Data = 1
	} else {
		c.side.Threads = []litmus.Thread{{Name: "a thread that waits and reads"}}
	}
	c.add(c.side.Flag, s, c.poll(s)...)
	c.path()
	c.add(c.side.Data, r, c.read(r)...)
	if c.side.Async = c.async; c.async {
		c.side.Setup = "full @ mbarrier 1; data @ global;"
	}
	c.consumerRepairs()
	return c.side
}

// group tells whether the threads at the data are others than the one at the flag. It fails where that cannot be told.
func (c *cutter) group(data, flag *site) bool {
	set, writers := flag.threads(), data.threads()
	if c.alike(data.guards, flag.guards) {
		return true // the same threads, each for itself
	}
	own := c.subset(data.guards, flag.guards)
	switch {
	case set.single() && writers.single():
		return own
	case set.single():
		c.two = !(own && data.assign != nil && c.uniformPlace(data) && writers == everyone)
		c.warp = own && writers.warps == oneOf // lanes of one warp
		return true
	case set.lanes == oneOf && set.warps == allOf:
		c.two, c.warp = true, true
		return true
	}
	return own && set == everyone
}

// alike reports whether two sites stand under the same conditions on threads.
func (c *cutter) alike(a, b []*guard) bool {
	return c.subset(divergent(a), b) && c.subset(divergent(b), a)
}

// divergent are the conditions that do not hold for all threads of a CTA alike.
func divergent(guards []*guard) []*guard {
	var out []*guard
	for _, g := range guards {
		if g.threads() != everyone {
			out = append(out, g)
		}
	}
	return out
}

// subset reports whether each condition of a is one of b.
func (c *cutter) subset(a, b []*guard) bool {
	for _, g := range a {
		if !hasGuard(b, g) {
			return false
		}
	}
	return true
}

func hasGuard(list []*guard, g *guard) bool {
	for _, h := range list {
		if h.negated == g.negated && h.elect == g.elect && (h.node == g.node || g.cond() != nil && same(g.cond(), h.cond())) {
			return true
		}
	}
	return false
}

// write is a store or a read-modify-write that publishes, or writes data.
func (c *cutter) write(x *site, cell string) []litmus.Step {
	sem, scope := orderOf(x, cell == flagCell)
	step := litmus.Step{Op: "st", Sem: sem, Scope: scope, Cell: cell, Value: 1}
	switch x.op.Kind {
	case dialect.AtomicAdd, dialect.AtomicSub, dialect.AtomicMax:
		step.Op, step.Fn, step.Reg = "atom", "add", otherReg
	case dialect.Reduce:
		step.Op, step.Fn = "red", "add"
	case dialect.AtomicExch, dialect.AtomicCas:
		step.Op, step.Fn, step.Reg = "atom", "exch", otherReg
	}
	return sequential(step)
}

// poll is the last read of a wait for a flag, or the ticket that tells the last CTA.
func (c *cutter) poll(x *site) []litmus.Step {
	sem, scope := orderOf(x, true)
	step := litmus.Step{Op: "ld", Sem: sem, Scope: scope, Cell: flagCell, Reg: flagReg}
	if x.op.Kind != plainLoad && x.op.Kind != dialect.Load {
		step.Op, step.Fn = "atom", "add"
		if x.spin == nil {
			step.Value = 1
		}
	}
	return sequential(step)
}

func (c *cutter) read(x *site) []litmus.Step {
	if x.op.Kind == dialect.TmaLoad { // and wait for it, which is no part of the question
		return []litmus.Step{
			{Text: "mbarrier.arrive.expect_tx full, 16"}, {Text: "cp.async.bulk.shared.global tile, data, 16, full"},
			{Text: "mbarrier.try_wait.parity full, 0"}, {Op: "ld", Sem: "weak", Cell: "tile", Reg: dataReg},
		}
	}
	sem, scope := orderOf(x, false)
	if x.op.Kind == plainStore || x.op.Kind == unknownCall {
		sem, scope = "weak", ""
	}
	return sequential(litmus.Step{Op: "ld", Sem: sem, Scope: scope, Cell: dataCell, Reg: dataReg})
}

// sequential spells a sequentially consistent access as PTX does: a fence.sc before it (PTX ISA, "Memory Consistency
// Model"; the mapping of C++ atomics in libcu++).
func sequential(s litmus.Step) []litmus.Step {
	if s.Sem != "sc" {
		return []litmus.Step{s}
	}
	f := litmus.Step{Op: "fence", Sem: "sc", Scope: s.Scope}
	s.Sem = map[string]string{"ld": "acquire", "st": "relaxed", "atom": "acquire", "red": "relaxed"}[s.Op]
	return []litmus.Step{f, s}
}

// orderOf is the order and the scope of an access. A flag that is read or written without either counts as
// volatile: a plain access is no worse for order, and what else is wrong with it is no matter of order.
func orderOf(x *site, flag bool) (sem, scope string) {
	sem, scope = x.op.Text("sem", ""), scopeOf(x)
	switch x.op.Kind {
	case plainStore, plainLoad, argumentLoad, unknownCall:
		if !flag && !volatile(x) {
			return "weak", ""
		}
		return "relaxed", "sys"
	case dialect.Load, dialect.Store:
		switch {
		case sem == "volatile", flag && (sem == "" || sem == "weak" || sem == "nc"):
			return "relaxed", "sys"
		case sem == "" || sem == "weak" || sem == "nc":
			return "weak", ""
		}
	}
	switch sem {
	case "", "weak", "volatile", "nc":
		sem = "relaxed" // PTX ISA 9.7.13.5: atom without an order
	}
	if x.op.Kind == dialect.Load && (sem == "release" || sem == "acq_rel") {
		sem = "acquire"
	}
	return sem, scope
}

// scopeOf is the scope an operation names; without one an atomic has that of the GPU (PTX ISA 9.7.13.5), and a C++ atomic
// that of its type.
func scopeOf(x *site) string {
	if w := x.op.Text("scope", ""); w != "" {
		return w
	}
	typ := ""
	if ptr := x.arg("ptr"); ptr != nil && x.op.Call != nil {
		if a, ok := x.op.Call.Fun.(*program.Attr); ok {
			typ = x.owner.typeOf(a.X)
		}
	}
	switch {
	case strings.Contains(typ, "thread_scope_block"):
		return "cta"
	case strings.Contains(typ, "thread_scope_device"):
		return "gpu"
	case strings.Contains(typ, "atomic"):
		return "sys"
	}
	return "gpu"
}

// volatile reports whether a plain access goes through a pointer to volatile.
func volatile(x *site) bool {
	base := x.barrier().base
	found := strings.Contains(x.owner.types[base]+x.owner.file.globals[base], "volatile")
	if ptr := x.arg("ptr"); ptr != nil {
		program.WalkExprs(ptr, func(e program.Expr) bool {
			c, ok := e.(*program.Cast)
			found = found || ok && strings.Contains(c.Type, "volatile")
			return !found
		})
	}
	return found
}
