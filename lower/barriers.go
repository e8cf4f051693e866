package lower

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Barriers among threads: named ones, those of a warp, the cluster's.

func (m *machine) namedBarrier(o operands) {
	n := o.node
	id, threads := int64(0), int64(0)
	if o.op.Kind != dialect.CtaSync {
		id = m.count(o.or("id", value.Int(0)), n, "the id of the named barrier")
		if v := o.value("count"); v != nil && v != (value.None{}) {
			threads = m.count(v, n, "the thread count of the named barrier")
		}
	}
	if id < 0 || id > 15 {
		m.stop(n, limit.Undefined, "named barrier id %d is outside 0 to 15", id)
	}
	if threads == warpSize && !m.sampling {
		m.splitWarps()
	}
	explicit := threads == int64(m.in.blockThreads())
	if explicit {
		threads = 0
	}
	b := m.in.named(int(id), int(m.cta), int(threads))
	if explicit {
		m.in.counted[b] = true
	}
	name := "barrier " + strconv.FormatInt(id, 10)
	if id == 0 && threads == 0 {
		name = "the CTA barrier"
	}
	if o.op.Kind == dialect.NamedBarrierArrive {
		m.emit(protocol.Op{Kind: protocol.NamedArrive, Object: b, Site: m.site(n.Where(), "arrive on %s", name)}, n)
		return
	}
	m.emit(protocol.Op{Kind: protocol.NamedSync, Object: b, Site: m.site(n.Where(), "wait at %s", name)}, n)
}

// fullWarp is the mask of all lanes.
const fullWarp = 1<<32 - 1

// warpSync is a barrier among the lanes of a mask, in each warp of the group: bar.warp.sync waits for the lanes that
// execute it with the same mask (PTX ISA 9.7.13.2).
func (m *machine) warpSync(mask int64, n program.Node) {
	m.splitWarps()
	w := int(m.threads[0] / 32)
	members := 0
	for lane := range min(32, m.in.blockThreads()-32*w) {
		members += int(mask >> lane & 1)
	}
	for _, t := range m.threads {
		if mask>>(t%32)&1 == 0 {
			m.outsideMask(mask, t, n)
			m.stop(n, limit.Undefined, "thread %d executes a warp barrier whose mask %#x leaves it out, which is undefined", t, mask)
		}
	}
	b := m.in.warpBarrier(warpKey{w, int(m.cta), mask, 0}, members)
	m.emit(protocol.Op{Kind: protocol.NamedSync, Object: b, Site: m.site(n.Where(), "warp barrier of warp %d", w)}, n)
}

// outsideMask notes that a thread executes what names other lanes of its warp only.
func (m *machine) outsideMask(mask, t int64, n program.Node) {
	if !m.sampling { // what others do makes no difference to it
		m.in.undefineds = append(m.in.undefineds, Undefined{Rule: OutsideMask, Site: m.bare(n), Alone: true,
			What: fmt.Sprintf("this names lanes %#x of its warp only, and lane %d executes it as well", mask, t%32)})
	}
}

// exchangeAmong makes the lanes of a mask meet to exchange numbers. What becomes of another lane that executes it PTX leaves undefined (PTX
// ISA 9.7.9.6), which FP412 tells; those of the mask wait for nobody but each other.
func (m *machine) exchangeAmong(mask int64, n program.Node) {
	named := make(value.Lanes, len(m.threads))
	for i, t := range m.threads {
		named[i] = mask >> (t % 32) & 1
	}
	if m.sampling || m.truth(named.Shrink(), n) {
		m.convergeLanes(mask, n)
		return
	}
	m.outsideMask(mask, m.threads[0], n)
}

// splitWarps makes a group of each warp.
func (m *machine) splitWarps() {
	warps := make(value.Lanes, len(m.threads))
	for i, t := range m.threads {
		warps[i] = t / warpSize
	}
	if w, ok := warps.Shrink().(value.Lanes); ok {
		m.splitOn(w)
	}
}

// warpKey names a barrier of the lanes of a mask.
type warpKey struct {
	warp, cta int
	mask      int64
	named     int // the id of the named barrier that it stands for, and one; 0 for none
}

func (in *instance) warpBarrier(k warpKey, members int) int {
	b, ok := in.warpBars[k]
	if !ok {
		b = len(in.nameds)
		in.nameds = append(in.nameds, protocol.Named{ID: protocol.WarpBarrier + k.warp, CTA: k.cta, Threads: members})
		in.warpBars[k] = b
	}
	return b
}

// warpKeyOf is the warp's barrier that an object is.
func (in *instance) warpKeyOf(object int) (warpKey, bool) {
	for k, b := range in.warpBars {
		if b == object {
			return k, true
		}
	}
	return warpKey{}, false
}

// elect is elect.sync: the lanes of its mask converge, and it is true in one of them.
func (m *machine) elect(o operands) value.Value {
	mask := o.lanes()
	m.convergeLanes(mask, o.node)
	return m.elected(mask)
}

// converge makes the lanes of a warp wait for each other without ordering their accesses (elect.sync, shuffles:
// notes/semantics.md 1.8): what a lane accessed before may still be under way after.
func (m *machine) converge(n program.Node) { m.convergeLanes(fullWarp, n) }

// Accesses go on behind a meeting of lanes that orders none, and are there once more: a group may have freelyCarried of them, in all
// its meetings, and each beyond costs as many steps as carriedCost. Evaluation takes less, but memory more.
const (
	freelyCarried = 100_000
	carriedCost   = 4
)

func (m *machine) convergeLanes(mask int64, n program.Node) {
	if m.sampling {
		m.met++
		return // who gets here is not known
	}
	before := m.blocks[len(m.blocks)-1]
	m.warpSync(mask, n)
	last := len(m.blocks) - 1
	if m.carried += len(before); m.carried > freelyCarried {
		m.spend(carriedCost * len(before))
	}
	over := func(a protocol.Access) bool { // asynchronous reads that all lanes have waited for leave nothing to be seen
		return a.Async && !a.Write && !slices.ContainsFunc(m.blocks[last], a.Equal)
	}
	if slices.ContainsFunc(before, over) {
		before = slices.DeleteFunc(slices.Clone(before), over)
	}
	m.blocks[last] = before // in the same memory (build.Carried)
}

// needCluster notes that the kernel works with its cluster where nothing says how large that is.
func (m *machine) needCluster(n program.Node) {
	if !m.in.launched && !m.host {
		m.noteOpaque(n.Where(), limit.LaunchShape.Says("the cluster size is not in this file"), true)
	}
}

func (m *machine) clusterBarrier(o operands) {
	n := o.node
	m.needCluster(n)
	m.worksAlone(n)
	if !m.in.cluster && m.in.ctas > 1 {
		m.stop(n, limit.Undefined, "cluster barrier in a kernel that is launched without clusters")
	}
	if o.op.Kind != dialect.ClusterWait {
		m.emit(protocol.Op{Kind: protocol.ClusterArrive, Site: m.site(n.Where(), "arrive on the cluster barrier")}, n)
	}
	if o.op.Kind != dialect.ClusterArrive {
		m.emit(protocol.Op{Kind: protocol.ClusterWait, Site: m.site(n.Where(), "wait on the cluster barrier")}, n)
	}
}
