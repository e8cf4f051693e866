package lower

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/instruction"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// An asynchronous operation may concern several CTAs of the cluster at once: a multicast mask names the CTAs that get
// the data and the signal, each at the same offset of its own shared memory (PTX ISA 9.7.9.25.5, .multicast::cluster;
// 9.7.16.12, tcgen05.commit.multicast::cluster).

// landing is one destination of an asynchronous operation: the CTA whose memory gets the data, and the one whose
// mbarrier is signalled for it.
type landing struct{ data, signal int64 }

// landings lists where a copy to the CTA of p goes. With cta_group::2 the signal goes to the mbarrier of the pair
// that has the same parity as the one the copy names; the DSL's wrappers name the even CTA's, the leader's.
func (m *machine) landings(o operands, bar value.Pointer) []landing {
	home := m.ctaOf(bar, o.node)
	paired := m.paired(o)
	if paired && o.op.Instr == nil {
		home &^= 1
	}
	ctas, multicast := m.masked(o)
	if !multicast {
		return []landing{{m.cta, home}}
	}
	var out []landing
	for _, c := range ctas {
		signal := c
		if paired {
			signal = c&^1 | home&1
		}
		out = append(out, landing{c, signal})
	}
	return out
}

// masked lists the CTAs of a multicast mask; multicast is false where the operation has none. A mask of zero is how
// the DSL says so to a copy that is not multicast.
func (m *machine) masked(o operands) (ctas []int64, multicast bool) {
	v := o.value("mask")
	if v == nil || v == (value.None{}) {
		return nil, false
	}
	if _, known := m.settle(v).(value.Int); !known && m.in.ctas == 1 {
		if _, differs := v.(value.Lanes); !differs {
			m.in.assumed["multicast masks name CTAs of the cluster only"] = inWords
			return nil, false
		}
	}
	if _, unknown := v.(value.Data); unknown && !m.multicasts(o) {
		return nil, false
	}
	mask := m.count(v, o.node, "the multicast mask")
	if mask == 0 {
		return nil, false
	}
	for c := int64(0); c < 16; c++ {
		if mask>>c&1 != 0 {
			if c >= int64(m.in.ctas) {
				m.stop(o.node, limit.Undefined, "multicast mask %#x names CTA %d, outside the cluster of %d", mask, c, m.in.ctas)
			}
			ctas = append(ctas, c)
		}
	}
	return ctas, true
}

// atomField reads what a copy atom says of itself: the library's models keep the copy operation's cta_group and
// whether it is multicast as attributes.
func (m *machine) atomField(o operands, name string) value.Value {
	obj, ok := o.value("atom").(*value.Object)
	for depth := 0; ok && depth < 4; depth++ {
		if v, has := obj.Fields[name]; has {
			return v
		}
		obj, ok = obj.Fields["op"].(*value.Object)
	}
	return nil
}

// multicasts reports whether the copy atom may be a multicast one.
func (m *machine) multicasts(o operands) bool {
	v, known := m.atomField(o, "multicast").(value.Int)
	return !known || v != 0
}

// paired reports whether an operation works for a pair of CTAs (cta_group::2).
func (m *machine) paired(o operands) bool {
	if m.in.ctas == 1 {
		return false
	}
	if o.op.Instr != nil {
		return o.op.Instr.Has("cta_group::2")
	}
	v := o.value("group")
	if v == nil || v == (value.None{}) {
		v = m.atomField(o, "cta_group")
	}
	return cute.IsPair(v)
}

// inEach repeats an operation's effect on the mbarrier of p in the CTAs a mask names, or only where p is.
func (m *machine) inEach(o operands, p value.Pointer, e protocol.Effect) (effects []protocol.Effect) {
	ctas, multicast := m.masked(o)
	if !multicast {
		ctas = []int64{m.ctaOf(p, o.node)}
	}
	return m.spreadEffect(o, p, ctas, e)
}

func (m *machine) spreadEffect(o operands, p value.Pointer, ctas []int64, e protocol.Effect) (effects []protocol.Effect) {
	for _, c := range ctas {
		p.Cta = value.Int(c)
		e.Mbar = m.mbarrier(p, o.node)
		effects = append(effects, e)
	}
	return effects
}

// allCTAs lists the CTAs of the cluster.
func (m *machine) allCTAs() []int64 {
	all := make([]int64, m.in.ctas)
	for i := range all {
		all[i] = int64(i)
	}
	return all
}

// asyncArrive covers arrivals that happen when earlier asynchronous work of the thread is done.
func (m *machine) asyncArrive(o operands) {
	switch o.op.Kind {
	case dialect.MbarrierArriveDrop:
		m.arriveDrop(o)
	case dialect.Tcgen05Commit:
		b, p := o.mbarrier()
		effects := m.inEach(o, p, protocol.Effect{Arrivals: 1})
		m.emit(protocol.Op{Kind: protocol.Issue, Effects: effects, Access: m.covered(), Site: m.site(o.node.Where(), "commit arriving on %s", m.onEach(effects, b))}, o.node)
	case dialect.CpAsyncMbarrierArrive:
		m.cpAsyncArrive(o)
	case dialect.StoreAsync:
		m.storeAsync(o)
	}
}

// arriveDrop arrives and takes the thread out of the phases to come.
func (m *machine) arriveDrop(o operands) {
	b, _ := o.mbarrier()
	op := protocol.Op{Kind: protocol.ArriveDrop, Object: b, Site: m.site(o.node.Where(), "arrive and drop out of %s", m.in.mbarName(b))}
	op.Count = int(m.count(o.or("count", value.Int(1)), o.node, "the arrival count"))
	if v := o.value("bytes"); v != nil {
		op.Bytes = int(m.count(v, o.node, "the transaction bytes"))
	}
	m.emit(op, o.node)
}

// onEach names the mbarriers an operation signals.
func (m *machine) onEach(effects []protocol.Effect, b int) string {
	if len(effects) == 1 {
		return m.in.mbarName(effects[0].Mbar)
	}
	var ctas []string
	for _, e := range effects {
		ctas = append(ctas, strconv.Itoa(m.in.mbars[e.Mbar].CTA))
	}
	return m.in.mbars[b].Name + " of CTAs " + strings.Join(ctas, ", ")
}

// cpAsyncArrive arrives when the thread's earlier cp.async are done. Without .noinc the pending count rises by one when
// the operation is issued (PTX ISA 9.7.9.25.4, cp.async.mbarrier.arrive), so that the phase cannot complete before the
// arrival takes it back. A unit of transaction count, expected at the issue and complete with it, does just that.
func (m *machine) cpAsyncArrive(o operands) {
	b, _ := o.mbarrier()
	effect := protocol.Effect{Mbar: b, Arrivals: 1}
	if !o.op.Has("noinc") {
		effect = protocol.Effect{Mbar: b, Bytes: 1}
		m.emit(protocol.Op{Kind: protocol.ExpectTx, Object: b, Bytes: 1, Site: m.site(o.node.Where(), "cp.async joins %s", m.in.mbarName(b))}, o.node)
	}
	m.landed = append(m.landed, len(m.ops))
	m.emit(protocol.Op{Kind: protocol.Issue, Effects: []protocol.Effect{effect}, Access: m.hand(), Site: m.site(o.node.Where(), "cp.async arriving on %s", m.in.mbarName(b))}, o.node)
}

// clcBytes is the size of the response that clusterlaunchcontrol.try_cancel writes (PTX ISA 9.7.13.16).
const clcBytes = 16

// tryCancel asks for the next cluster's work: the hardware writes the response and completes its bytes, with
// .multicast::cluster::all in every CTA of the cluster.
func (m *machine) tryCancel(o operands) {
	b, p := o.mbarrier()
	resp, _ := o.pointer("response")
	m.answersOn(resp, b)
	ctas := []int64{m.ctaOf(p, o.node)}
	if m.everywhere(o) {
		ctas = m.allCTAs()
	}
	effects := m.spreadEffect(o, p, ctas, protocol.Effect{Bytes: clcBytes})
	op := protocol.Op{Kind: protocol.Issue, Effects: effects, Site: m.site(o.node.Where(), "work query completing on %s", m.onEach(effects, b))}
	op.Access = m.eachCTA(m.copyAccess(o, "response", true, clcBytes), ctas)
	m.emit(op, o.node)
}

// everywhere reports whether a work query answers to all CTAs: the default of the DSL, a modifier in PTX.
func (m *machine) everywhere(o operands) bool {
	if o.op.Instr != nil {
		return o.op.Instr.Has("multicast::cluster::all")
	}
	v := o.value("multicast")
	return v == nil || m.truth(v, o.node)
}

// storeAsync writes shared memory of the cluster and completes its bytes on an mbarrier beside it.
func (m *machine) storeAsync(o operands) {
	b, _ := o.mbarrier()
	bytes := unknownBytes
	if v := o.value("bytes"); v != nil {
		if n, ok := m.settle(v).(value.Int); ok {
			bytes = int(n)
		}
	} else if o.op.Instr != nil {
		bytes = int(instruction.BytesOf(o.op.Instr))
	} else if p, ok := o.pointer("dst"); ok && p.Block != nil && p.Block.Size > 0 {
		bytes = int(p.Block.Size) // one element
	}
	op := protocol.Op{Kind: protocol.Issue, Effects: []protocol.Effect{{Mbar: b, Bytes: bytes}}, Site: m.site(o.node.Where(), "remote store completing on %s", m.in.mbarName(b))}
	op.Access = m.copyAccess(o, "dst", true, bytes)
	m.noteCopies(op, nil, o.value("bytes"))
	m.emit(op, o.node)
}

// eachCTA repeats accesses to the CTA's own shared memory in the CTAs given: a multicast operation names one offset.
func (m *machine) eachCTA(own []protocol.Access, ctas []int64) []protocol.Access {
	var out []protocol.Access
	for _, a := range own {
		for _, c := range ctas {
			b := a
			b.Buffer = m.in.sibling(a.Buffer, int(c))
			m.in.reach(b)
			out = append(out, b)
		}
	}
	return out
}

// sibling is the buffer at the same offset of another CTA's shared memory.
func (in *instance) sibling(buf, cta int) int {
	for k, i := range in.bufKey {
		if i == buf {
			return in.buffer(k.b, cta)
		}
	}
	return buf
}

// gridBarrier is what messages call the counter behind grid.sync().
const gridBarrier = "the grid barrier"

// gridSync is a barrier of all threads of the grid: a counter that each raises and that each waits for. All CTAs of
// the grid must be resident, which a cooperative launch checks.
func (m *machine) gridSync(n program.Node) {
	if !m.in.flagBlocks[gridBarrier] {
		m.in.flagBlocks[gridBarrier] = true
		panic(restart{})
	}
	m.in.assumed["all CTAs of the grid are resident"] = inWords
	f := m.flag(value.Pointer{Block: m.in.global(gridBarrier), Offset: value.Int(0)}, n)
	m.grids++
	all := m.grids * m.in.ctas * m.in.blockThreads()
	m.emit(protocol.Op{Kind: protocol.FlagAdd, Object: f, Count: 1, Order: protocol.Barrier, Site: m.site(n.Where(), "arrive on %s", gridBarrier)}, n)
	m.emit(protocol.Op{Kind: protocol.Spin, Object: f, Compare: ">=", Count: all, Order: protocol.Barrier, Site: m.site(n.Where(), "wait at %s", gridBarrier)}, n)
}

// Cluster launch control (PTX ISA 9.7.13.17): a request to take over the work of a CTA that has not started is answered
// by hardware, which writes 16 bytes to shared memory and completes them on an mbarrier. The first answers bring a tile,
// the later ones do not; how many do is one unknown. Which answer a thread reads is the number of waits on the mbarriers
// of the answers that it has completed, so all roles agree exactly if the protocol makes them (notes/cutedsl.md R11).

// responseSlot is the name under which a place for responses is known; "" where the address is not.
func responseSlot(p value.Pointer) string {
	if p.Block == nil {
		return ""
	}
	return p.Block.Name
}

// answersOn notes on which mbarriers the responses in a slot are completed: one a stage. Threads that read responses may have been
// evaluated before: then the run starts again.
func (m *machine) answersOn(resp value.Pointer, b int) {
	known, slot := m.in.low.responses, responseSlot(resp)
	name := m.in.mbars[b].Name
	if !slices.Contains(known[slot], name) && len(known[slot]) < maxWalks && (known[slot] != nil || len(known) < maxWalks) {
		known[slot] = append(known[slot], name)
		panic(restart{})
	}
}

// response reads an answer: the coordinates of the tile, and whether there is one.
func (m *machine) response(o operands) value.Value {
	resp, ok := o.pointer("ptr")
	if ok && resp.Block != nil && resp.Block.Shared {
		m.access(resp, max(1, clcBytes/max(1, resp.Block.Size)), o.node)
	}
	bars, ok := m.in.low.responses[responseSlot(resp)]
	if !ok {
		// No request is known yet. Should there be one further on, this run is repeated.
		return &value.Sequence{Elems: []value.Value{value.Data{}, value.Data{}, value.Data{}, value.Int(0)}}
	}
	var seen value.Value = value.Int(0)
	for _, name := range bars {
		seen = value.Binary("+", seen, m.waited(name))
	}
	seen = value.Binary("max", value.Int(1), seen)
	name := "tile[" + value.Canonical(seen) + "]"
	with := value.Atom("responses with a tile")
	m.in.low.domains[with.Expr.String()] = value.TileCounts
	return &value.Sequence{Elems: []value.Value{value.Atom(name + ".x"), value.Atom(name + ".y"), value.Atom(name + ".z"), value.Binary("<", value.Binary("-", seen, value.Int(1)), with)}}
}

// waited is how often the group has completed a wait on an mbarrier.
func (m *machine) waited(name string) value.Value {
	if m.watch != nil {
		if n, ok := m.watch.waits[name]; ok {
			return n
		}
	}
	return value.Int(m.waits[name])
}

// How large a launch is: blocks, clusters, grids.

// assumed gives the unknown parts of a launch extent the values that the host side assumes for them.
func (m *machine) assumed(v value.Value) value.Value {
	switch v := v.(type) {
	case value.Symbol:
		return value.Int(m.resolve(v.Expr, false))
	case *value.Sequence:
		out := &value.Sequence{}
		for _, e := range v.Elems {
			out.Elems = append(out.Elems, m.assumed(e))
		}
		return out
	}
	return v
}

// maxThreads is the most threads a CTA may have (CUDA Programming Guide, compute capabilities).
const maxThreads = 1024

// clusterOf is the extent of the cluster: 1 in every part that is not known, and the bounds say so.
func (m *machine) clusterOf(v value.Value) [3]int64 {
	out := [3]int64{0, 1, 1}
	if _, whole := v.(value.Symbol); !whole {
		out = cute.Dims(m.assumed(v))
	}
	for i := range out {
		if out[i] <= 0 {
			m.in.assumed["a cluster of 1 CTA where the host side does not tell its size"] = inWords
			out[i] = 1
		}
	}
	return out
}
