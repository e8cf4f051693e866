package lower

import (
	"fmt"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/build"
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/source"
)

// mbarrier gives the object an operation works on, with the CTA it is in.
func (o operands) mbarrier() (index int, at value.Pointer) {
	p, ok := o.pointer("ptr")
	if !ok {
		o.m.stop(o.node, limit.RunTime, "the mbarrier is not known before the kernel runs")
	}
	p = o.m.embedded(p, o.node)
	return o.m.mbarrier(p, o.node), p
}

// embedded is an mbarrier that stands among data of smaller elements, a scheduler's slots say: it is an object of its own,
// the rest remains data. A pointer to anything else is what it was.
func (m *machine) embedded(p value.Pointer, n program.Node) value.Pointer {
	b := p.Block
	if b == nil || !b.Shared || b.Mbarrier || b.Size == 0 || b.Size >= 8 || value.BitsOf(p.Elem) >= 64 && p.Each <= 1 {
		return p
	}
	at := m.count(p.Offset, n, "the place of the mbarrier")
	key := fmt.Sprintf("%s+%d", b.Name, at)
	own := m.in.blocks["embedded "+key]
	if own == nil {
		own = &value.Block{Name: key, Shared: true, Elements: 1, Size: 8, Mbarrier: true}
		m.in.blocks["embedded "+key] = own
		m.in.within = append(m.in.within, build.Within{Block: b, Own: own, At: protocol.Range{Lo: int(at), Hi: int(at + (7+b.Size)/b.Size)}})
	}
	return value.Pointer{Block: own, Offset: value.Int(0), Cta: p.Cta}
}

func (m *machine) mbarrier(p value.Pointer, n program.Node) int {
	if p.Block == nil || !p.Block.Shared {
		m.stop(n, limit.RunTime, "the mbarrier's place in shared memory is not known")
	}
	p = m.embedded(p, n)
	p.Block.Mbarrier = true
	i := m.count(p.Offset, n, "the index of the mbarrier")
	for b := p.Block; b.Size == 8 && b.Elements > 0 && (i < 0 || i >= b.Elements); b = p.Block {
		if b.Next == nil || i < 0 { // what is there is written by others
			m.outside(b, i, n)
			m.stop(n, limit.Undefined, "mbarrier %d of %q, which has place for %d", i, b.Name, b.Elements)
		}
		p.Block, i = b.Next, i-b.Elements
		p.Block.Mbarrier = true
	}
	return m.in.mbar(p.Block, i, int(m.ctaOf(p, n)))
}

// perform evaluates one canonical operation: a query gives its value, a synchronization operation is recorded.
func (m *machine) perform(op *dialect.Op, n program.Node, s *value.Scope) value.Value {
	if e, ok := n.(*program.Call); ok && !m.host {
		m.unasked(op, e, s)
	}
	return m.performWith(operands{m: m, op: op, s: s, node: n})
}

// unasked evaluates the arguments of a call that the operation has no names for, or names as numbers that nothing need ask
// for: what they access is accessed.
func (m *machine) unasked(op *dialect.Op, e *program.Call, s *value.Scope) {
	m.evaluates(e, s, func(x program.Expr) bool {
		for name, a := range op.Args {
			if a.Expr == x {
				return name != "value" && name != "cmp" || syntax.ChangesSomething(x)
			}
		}
		return false
	})
}

// evaluates evaluates the arguments of a call that may access memory, but for some.
func (m *machine) evaluates(e *program.Call, s *value.Scope, but func(program.Expr) bool) {
	for _, x := range e.Args {
		if m.touches(x) && !but(x) {
			m.eval(x, s)
		}
	}
	for _, k := range e.Keywords {
		if m.touches(k.Value) && !but(k.Value) {
			m.eval(k.Value, s)
		}
	}
}

func (m *machine) performWith(o operands) value.Value {
	op, n := o.op, o.node
	if op.Kind != dialect.Pure {
		m.effects++
	}
	m.asks(op.Kind)
	if op.Kind == dialect.ElectOne && !m.host {
		return m.elect(o)
	}
	if v, ok := m.query(op, n); ok {
		return v
	}
	if m.host {
		return value.Data{}
	}
	if p := o.value("pred"); p != nil && p != (value.None{}) && !m.truth(p, n) {
		if op.Kind == dialect.MbarrierTryWait || op.Kind == dialect.MbarrierTestWait {
			return value.Int(1) // mbarrier_conditional_try_wait does not look at the barrier then (notes/cutedsl.md 1.2)
		}
		return value.Data{}
	}
	m.busyOperation(op, n)
	m.weak(op, n)
	switch op.Kind {
	case dialect.Uniform, dialect.Pure:
		return value.Unrelated(o.or("x", value.Data{}))
	case dialect.MapaShared:
		if p, ok := o.pointer("ptr"); ok {
			m.worksAlone(n)
			p.Cta = o.value("peer")
			return p
		}
		return value.Data{}
	case dialect.MbarrierInit:
		m.initMbarrier(o)
	case dialect.MbarrierArrive:
		b, _ := o.mbarrier()
		c := m.count(o.or("count", value.Int(1)), n, "the arrival count")
		if c < 1 || c > maxArrivals {
			m.stop(n, limit.Undefined, "arrival with an illegal count of %d", c)
		}
		m.emit(protocol.Op{Kind: protocol.Arrive, Object: b, Count: int(c), Site: m.site(n.Where(), "arrive on %s", m.in.mbarName(b))}, n)
		return m.arrival(b)
	case dialect.MbarrierArriveExpectTx, dialect.MbarrierExpectTx, dialect.MbarrierCompleteTx:
		m.transaction(o)
	case dialect.MbarrierWait:
		_, p := o.mbarrier()
		m.wait(p, o.value("phase"), n)
	case dialect.MbarrierTryWait, dialect.MbarrierTestWait:
		b, p := o.mbarrier()
		return value.TryResult{Bar: p, Parity: m.parity(o.value("phase"), b, n), Peek: m.peeks(n)}
	case dialect.MbarrierArriveDrop, dialect.CpAsyncMbarrierArrive, dialect.Tcgen05Commit, dialect.StoreAsync:
		m.asyncArrive(o)
	case dialect.ClcTryCancel:
		m.tryCancel(o)
	case dialect.ClcResponse:
		return m.response(o)
	case dialect.TmemFree:
		m.freeTensorMemory(n, o.or("count", value.Data{}))
	case dialect.TmemAlloc:
		m.reserveTensorMemory(n, o.or("count", value.Data{}))
		if p, ok := o.pointer("ptr"); ok {
			m.accessing(p, protocol.Access{Write: true, Stored: m.in.storedAs(addressOf)}, 1, n)
			m.tellsAddress(p, n)
			m.warpSync(fullWarp, n) // the warp's one instruction: every lane finds the address (PTX ISA 9.7.16.7.1, .sync.aligned)
		}
	case dialect.TmemAddress:
		if p, ok := o.pointer("ptr"); ok {
			m.access(p, 1, n)
		}
		return m.columnPointer(o.or("dtype", value.Data{}))
	case dialect.NamedBarrierSync, dialect.NamedBarrierArrive, dialect.CtaSync:
		m.namedBarrier(o)
	case dialect.WarpSync:
		m.warpSync(o.lanes(), n)
	case dialect.ClusterArrive, dialect.ClusterWait, dialect.ClusterSync:
		m.clusterBarrier(o)
	case dialect.GridSync:
		m.gridSync(n)
	case dialect.AtomicAdd, dialect.AtomicSub, dialect.Reduce, dialect.AtomicExch, dialect.AtomicCas, dialect.AtomicMax, dialect.Store, dialect.Load:
		return m.memory(o)
	case dialect.TmaLoad:
		m.tmaLoad(o)
	case dialect.TmaStore, dialect.CpAsync:
		m.bulkCopy(o)
	case dialect.TmemStore:
		m.noteStore(n, false)
		m.transferAt(o)
	case dialect.TmemLoad:
		m.transferAt(o)
	case dialect.TmemStoreWait:
		m.noteStore(n, true)
		m.awaitStores(n)
		if op.Has("loads") {
			m.awaitLoads(n)
		}
	case dialect.TmemLoadWait:
		m.awaitLoads(n)
	case dialect.MmaAsync:
		if op.Call == nil {
			m.blindlyUses(n)
			if wgmma(op) {
				m.multipliesInOrder(n)
			}
			m.unplacedAsync(n)
			break
		}
		if len(op.Args) > 0 {
			m.addressed(o)
			break
		}
		m.gemm(m.arguments(op.Call, o.s), n)
	case dialect.Fence:
		m.in.fenced = m.in.fenced || !m.host
		if op.Text("scope", "") != "cta" {
			m.initsTold = append(m.initsTold, len(m.ops))
		}
	case dialect.MbarrierInitFence:
		m.initsTold = append(m.initsTold, len(m.ops))
	case dialect.FenceProxy:
		m.fences = append(m.fences, len(m.ops))
		if kind := op.Text("kind", ""); !m.sampling && (kind == "async" || kind == "async::generic") && op.Text("space", "") != "global" {
			m.fenced = append(m.fenced, fencing{len(m.ops), len(m.blocks[len(m.blocks)-1])})
		}
	case dialect.WgmmaFence:
		m.registersOrdered = !m.sampling || m.registersOrdered
	case dialect.TensormapWrite:
		if m.in.rewritten == nil {
			at := m.bare(n)
			m.in.rewritten = &at
		}
	case dialect.WgmmaCommit:
		m.converge(n) // .sync.aligned, like all of wgmma (PTX ISA 9.7.15)
		m.multiplied, m.reading = append(m.multiplied, m.reading), nil
	case dialect.WgmmaWait:
		m.converge(n)
		m.waitMultiplied(int(m.count(o.or("count", value.Int(0)), n, "the number of groups left in flight")))
	case dialect.BulkCommit:
		m.groups, m.bulk = m.group(m.groups, m.bulk), nil
		m.leaving, m.sending = append(m.leaving, m.sending), nil
	case dialect.CpAsyncCommit:
		m.cpGroup, m.cpAsync = m.group(m.cpGroup, m.cpAsync), nil
	case dialect.BulkWait:
		m.drain(o, &m.groups)
		m.leaving = newest(m.leaving, o.left())
	case dialect.CpAsyncWait:
		if op.Has("all") { // as a commit and a wait for all groups (PTX ISA 9.7.9.25.3.3)
			m.cpGroup, m.cpAsync = m.group(m.cpGroup, m.cpAsync), nil
		}
		m.drain(o, &m.cpGroup)
	case dialect.AllocMbarrier, dialect.AllocShared:
		return m.allocate(o)
	case dialect.SetMaxRegister:
		m.reallocates(o)
	case dialect.GridDepWait:
		m.in.waitsForGrids = true
		if m.in.ahead == nil {
			m.in.ahead = m.readsGlobal()
		}
	case dialect.Trap:
		m.stop(n, limit.Trap, "trap")
	case dialect.Exit: // of whatever function it is in (PTX ISA 9.7.12.7)
		if !m.host {
			panic(exits{})
		}
	case dialect.MbarrierInval: // whoever uses it afterwards is wrong (PTX ISA 9.7.13.15.10)
		m.stop(n, limit.Operation, "an mbarrier is invalidated: who may still use it is not modelled")
	case dialect.GridDepLaunch, dialect.Nanosleep, dialect.NamedBarrierObject:
		// Nobody waits for these, and they signal nothing to anyone in the model.
	default:
		m.stop(n, limit.Operation, "%s is not modelled", op.Name)
	}
	return value.Data{}
}

// maxArrivals is the largest count of an mbarrier and of an arrival (PTX ISA 9.7.13.15.9).
const maxArrivals = 1<<20 - 1

func (m *machine) initMbarrier(o operands) {
	b, _ := o.mbarrier()
	if m.initsBeside(b, o.node) {
		return
	}
	v := o.value("count")
	c := m.count(v, o.node, "the arrival count of the init")
	if c < 1 || c > maxArrivals {
		if _, known := value.Whole(v).(value.Int); known {
			m.noArrivals(b, c, o.node)
		}
		m.stop(o.node, limit.Undefined, "mbarrier initialised with an illegal count of %d", c)
	}
	if old := m.in.initCount(b); old != 0 && old != int(c) {
		m.stop(o.node, limit.Init, "mbarrier initialised twice, with %d and %d", old, c)
	}
	m.in.setCount(b, int(c))
	m.emit(protocol.Op{Kind: protocol.Init, Object: b, Count: int(c), Site: m.site(o.node.Where(), "init %s with count %d", m.in.mbarName(b), c)}, o.node)
}

// initSite is an initialisation of an mbarrier.
type initSite struct {
	mbar int
	at   source.Span
}

// initsBeside reports whether another thread initialises an mbarrier for the group, too, in the same instruction: with lanes of
// one warp in one step, with other warps before anyone uses it (build.Early). They write one count. PTX leaves undefined what a second
// init of a live object does (PTX ISA 9.7.13.15.9): FP109 tells of it.
func (m *machine) initsBeside(b int, n program.Node) bool {
	site := initSite{b, n.Where()}
	first, last := m.threads[0], m.threads[len(m.threads)-1]
	by, known := m.in.initsBy[site]
	if !known {
		by = first
		m.in.initsBy[site] = by
	}
	if by == first && first == last {
		return false
	}
	who := make(value.Lanes, len(m.threads))
	for i, t := range m.threads {
		who[i] = int64(value.Bool(t == by))
	}
	if m.truth(who.Shrink(), n) {
		return false
	}
	if m.in.together == nil {
		at := m.bare(n)
		m.in.together = &at
	}
	if by/32 != first/32 || first/32 != last/32 {
		m.reinits = append(m.reinits, build.Reinit{Mbar: b, At: len(m.ops), Site: m.bare(n)})
	}
	return true
}

// wait records a blocking wait on a parity.
func (m *machine) wait(p value.Pointer, phase value.Value, n program.Node) {
	b := m.mbarrier(p, n)
	if m.ctaOf(p, n) != m.cta {
		m.stop(n, limit.Undefined, "wait on an mbarrier of another CTA: PTX allows waits on the CTA's own objects only")
	}
	parity := int(m.parity(phase, b, n))
	m.waits[m.in.mbars[b].Name]++
	m.turned(b)
	m.watch.waited(m.in.mbars[b].Name)
	m.emit(protocol.Op{Kind: protocol.Wait, Object: b, Parity: parity, Site: m.site(n.Where(), "wait on %s phase %d", m.in.mbarName(b), parity)}, n)
}

// atomically is in the place of the value that an atomic operation stores: two of them are not in each other's way.
const atomically = "by an atomic operation"

// strengthOf tells them of an operation. A volatile access is relaxed at the scope of the system (PTX ISA 8.4.2).
func strengthOf(op *dialect.Op) value.Strength {
	if s := (value.Strength{Order: op.Text("sem", ""), Scope: op.Text("scope", "")}); s.Order != "volatile" {
		return s
	}
	return value.Strength{Order: "relaxed", Scope: "sys"}
}

// strongly is Stored of a strong load or store (PTX ISA 8.3), which is as atomic as a read-modify-write, 0 of a weak one.
func (m *machine) strongly(op *dialect.Op) int {
	switch strengthOf(op).Order {
	case "relaxed", "acquire", "release", "acq_rel", "seq_cst":
		return m.in.storedAs(atomically)
	}
	return 0
}

// memory evaluates loads, stores and atomics: on flags they are operations, elsewhere accesses or data.
func (m *machine) memory(o operands) value.Value {
	p, ok := o.pointer("ptr")
	if !ok {
		m.strays(o.node, value.Data{}, o.op.Kind != dialect.Load)
		return value.Data{}
	}
	if o.op.Has("rows") && p.Block.Shared {
		return m.touchesRow(p, o)
	}
	if o.op.Kind == dialect.Load {
		if p.Block.Shared {
			m.accessing(p, protocol.Access{Stored: m.strongly(o.op)}, 1, o.node)
			return m.delivered(p, o.node)
		}
		if !m.polling {
			m.reachesAt(p, false, o.op.GridWide(), 1, o.node)
			if !m.in.flagBlocks[p.Block.Name] {
				m.inCTA(p, protocol.Access{Stored: m.strongly(o.op)}, 1, o.node)
			}
		}
		return value.FlagValue{Flag: p.Block, At: p.Offset, Strength: strengthOf(o.op)}
	}
	if m.polling && !p.Block.Shared && o.op.Kind != dialect.Store {
		// An atomic that adds nothing is a load; any other in a spin takes something while it waits.
		v, known := o.or("value", value.Int(1)).(value.Int)
		return value.FlagValue{Flag: p.Block, At: p.Offset, Old: !known || v != 0 || o.op.Kind != dialect.AtomicAdd, Strength: strengthOf(o.op)}
	}
	if p.Block.Shared || !m.in.flagBlocks[p.Block.Name] {
		if !p.Block.Shared {
			m.changes(p.Block.Name)
		}
		if o.op.Kind != dialect.Store {
			m.reachesAt(p, true, o.op.GridWide(), 1, o.node)
		}
		if o.op.Kind == dialect.Store {
			stored := m.strongly(o.op)
			if stored == 0 {
				stored = m.valueStored(o.or("value", value.Data{}))
			}
			m.accessing(p, protocol.Access{Write: true, Stored: stored}, 1, o.node)
			m.post(p, o.or("value", value.Data{}), o.node)
		} else {
			for _, name := range []string{"value", "cmp"} { // which nothing asks for: only what evaluating them does
				if a := o.op.Args[name]; a.Expr != nil && syntax.ChangesSomething(a.Expr) {
					m.eval(a.Expr, o.s)
				}
			}
			m.inCTA(p, protocol.Access{Write: true, Stored: m.in.storedAs(atomically)}, 1, o.node)
		}
		return value.Data{}
	}
	if o.op.Kind == dialect.Store {
		m.flagStore(p, o.value("value"), strengthOf(o.op), o.node)
		return value.None{}
	}
	f := m.flag(p, o.node)
	add := int64(0)
	switch o.op.Kind {
	case dialect.AtomicAdd, dialect.AtomicSub, dialect.Reduce:
		if r := o.op.Text("op", "add"); o.op.Kind == dialect.Reduce && r != "add" {
			m.stop(o.node, limit.Operation, "reduction %q on a flag: not modelled yet", r)
		}
		add = m.count(o.or("value", value.Int(1)), o.node, "the value added to the flag")
		if o.op.Kind == dialect.AtomicSub {
			add = -add
		}
	case dialect.AtomicExch:
		m.flagStore(p, o.value("value"), strengthOf(o.op), o.node)
		return value.FlagValue{Flag: p.Block, At: p.Offset, Old: true}
	default:
		m.stop(o.node, limit.Operation, "%s on a flag: not modelled yet", o.op.Kind)
	}
	by := strengthOf(o.op)
	m.emit(protocol.Op{Kind: protocol.FlagAdd, Object: f, Count: int(add), Order: by.Order, Scope: by.Scope, Site: m.site(o.node.Where(), "add %d to %s", add, m.in.flags[f].Name)}, o.node)
	return value.FlagValue{Flag: p.Block, At: p.Offset, Old: true}
}

// touchesRow records what ldmatrix and stmatrix access behind the address of a lane: a row of 16 bytes. There are eight rows in a matrix of 8 by 8
// elements, and of lanes behind the last row the address is not used (PTX ISA 9.7.14.5.15, 9.7.14.5.16).
func (m *machine) touchesRow(p value.Pointer, o operands) value.Value {
	a := protocol.Access{Write: o.op.Kind == dialect.Store}
	count, known := memory.Matrices(m.settle(o.or("rows", value.Data{})), a.Write)
	rows := count * matrixRows
	switch shape := value.LastWord(strings.ToLower(value.Canonical(o.or("shape", value.None{})))); shape {
	case "none", "m8n8", "m16n8":
	default: // of the larger ones it is not known what is counted
		known = false
	}
	used := make(value.Lanes, len(m.threads))
	for i, t := range m.threads {
		used[i] = int64(value.Bool(t%warpSize < rows))
	}
	if !known {
		a.Maybe = true
	} else if !m.truth(used.Shrink(), o.node) {
		return memory.Fragment(count, a.Write)
	}
	if bits := value.BitsOf(value.FirstOf(p.Elem, value.Data{})); bits > 0 && rowBits%bits == 0 && p.Each == 0 {
		m.accessing(p, a, rowBits/bits, o.node)
	} else {
		m.accessing(p.Somewhere(), a, 1, o.node)
	}
	if a.Write {
		m.post(p, value.Data{}, o.node)
		if !known { // its first element is written where there is a row
			m.accessing(p, protocol.Access{Write: true}, 1, o.node)
		}
	}
	return memory.Fragment(count, a.Write)
}

const (
	matrixRows = 8
	rowBits    = 128
)

func (m *machine) flagStore(p value.Pointer, v value.Value, by value.Strength, n program.Node) {
	f := m.flag(p, n)
	x := m.count(v, n, "the value stored to the flag")
	m.emit(protocol.Op{Kind: protocol.FlagStore, Object: f, Count: int(x), Order: by.Order, Scope: by.Scope, Site: m.site(n.Where(), "store %d to %s", x, m.in.flags[f].Name)}, n)
}

func (m *machine) flag(p value.Pointer, n program.Node) int {
	return m.in.flag(p.Block, m.count(p.Offset, n, "the index of the flag"))
}

// handsOver takes global memory for flags by which CTAs wait for each other: then there are several of them.
func (m *machine) handsOver(b *value.Block) {
	if !m.in.flagBlocks[b.Name] {
		m.in.flagBlocks[b.Name] = true
		panic(restart{})
	}
}

// awaitsPlace notes a spin that goes on until a flag has a number which the CTA's place in the grid decides: that is known once
// there are CTAs.
func (m *machine) awaitsPlace(flag, until value.Value) {
	f, ok := flag.(value.FlagValue)
	n, unknown := value.Whole(until).(value.Symbol)
	if !ok || !unknown || !m.polling || f.Old {
		return
	}
	for _, leaf := range value.Leaves(n.Expr, nil) {
		if !inGrid(leaf.Atom) {
			return
		}
	}
	m.handsOver(f.Flag)
}

// spinOn records a spin wait: it ends when the loop's test fails.
func (m *machine) spinOn(t value.FlagTest, n program.Node) {
	if t.Old {
		m.stop(n, limit.Operation, "spin on an atomic that changes the flag: not modelled yet")
	}
	m.handsOver(t.Flag)
	f := m.flag(value.Pointer{Block: t.Flag, Offset: t.At}, n)
	until := value.Negate(t.Compare)
	m.emit(protocol.Op{Kind: protocol.Spin, Object: f, Compare: until, Count: int(t.Number), Order: t.Order, Scope: t.Scope,
		Site: m.site(n.Where(), "spin until %s %s %d", m.in.flags[f].Name, until, t.Number)}, n)
}
