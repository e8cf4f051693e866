package lower

import (
	"fmt"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Every memory operation on shared memory that is evaluated is an access of the protocol, or its buffer is lost, with the
// reason. Where operations are evaluated they are noted, where accesses are recorded is another place, and at the end the
// two are compared: a search of a protocol that lacks an access would show nothing.

// touched is a memory operation: on which block, and where.
type touched struct {
	block *value.Block
	at    protocol.Site
}

// operates notes that a memory operation on a block of shared memory is evaluated, for this group and from here on.
func (m *machine) operates(b *value.Block, n program.Node) {
	if m.host || b == nil || !b.Shared || b.Mbarrier {
		return
	}
	t := touched{b, m.bare(n)}
	for i := len(m.touched) - 1; i >= 0 && i >= len(m.touched)-8; i-- {
		if m.touched[i] == t {
			return
		}
	}
	m.touched = append(m.touched, t)
}

// unaccounted names a memory operation that is neither an access nor lost, "" where there is none.
func (in *instance) unaccounted(groups []*machine) (Opaque, bool) {
	blocks := in.blocksOf()
	for _, m := range groups {
		known := map[touched]bool{}
		note := func(list []protocol.Access) {
			for _, a := range list {
				at := in.sites[a.Site]
				at.Text = ""
				known[touched{blocks[a.Buffer], at}] = true
			}
		}
		for _, b := range m.blocks {
			note(b)
		}
		for i := range m.ops {
			note(m.ops[i].Access)
		}
		for _, t := range m.touched {
			if !t.block.Mbarrier && in.lost[t.block.Name] == "" && !known[t] {
				return Opaque{t.at.Path, t.at.Line, limit.Access.Sayf("what it does to %s is missing in the model", t.block.Name)}, true
			}
		}
	}
	return Opaque{}, false
}

// blocksOf lists the blocks that the buffers are.
func (in *instance) blocksOf() []*value.Block {
	out := make([]*value.Block, len(in.buffers))
	for k, i := range in.bufKey {
		out[i] = k.b
	}
	return out
}

// Where it is asked for, a model also says at which places the program may do more than synchronize and compute: a read
// of a pseudo buffer stands for all that the model does not follow. Whether a barrier orders anything can be told with
// that, and without it cannot. What is not known to be harmless counts.

// Activity is the name of the pseudo buffer.
const Activity = "anything else"

// busy notes that the running threads may touch memory that the model does not follow.
func (m *machine) busy(n program.Node) {
	if m.host || !m.in.low.activity {
		return
	}
	b := m.in.blocks[Activity]
	if b == nil {
		b = &value.Block{Name: Activity, Shared: true, Elements: 1}
		m.in.blocks[Activity] = b
	}
	i := m.in.buffer(b, -1)
	last := len(m.blocks) - 1
	for _, a := range m.blocks[last] {
		if a.Buffer == i {
			return
		}
	}
	m.record(protocol.Access{Buffer: i, Elements: []protocol.Range{{Lo: 0, Hi: 1}}, Site: m.site(n.Where(), "does something")}, Activity)
}

// view reports whether a subscript gives no content of memory: a part of a tensor, or of a container that is known.
func view(v value.Value) bool {
	switch v.(type) {
	case *cute.Tensor, value.Int, value.Text, *value.Object, *value.Sequence, *cute.Layout, value.None, *value.EnumMember, value.Pointer:
		return true
	}
	return false
}

// busyOperation notes an operation that does more than synchronize.
func (m *machine) busyOperation(op *dialect.Op, n program.Node) {
	switch op.Kind {
	case dialect.MbarrierInit, dialect.MbarrierArrive, dialect.MbarrierArriveExpectTx, dialect.MbarrierExpectTx, dialect.MbarrierWait,
		dialect.MbarrierTryWait, dialect.MbarrierTestWait, dialect.MbarrierInitFence, dialect.NamedBarrierSync, dialect.NamedBarrierArrive,
		dialect.CtaSync, dialect.WarpSync, dialect.ClusterArrive, dialect.ClusterWait, dialect.ClusterSync, dialect.FenceProxy, dialect.Fence,
		dialect.BulkCommit, dialect.BulkWait, dialect.CpAsyncCommit, dialect.CpAsyncWait, dialect.WgmmaCommit, dialect.WgmmaWait,
		dialect.Tcgen05Commit, dialect.MapaShared, dialect.Uniform, dialect.SetMaxRegister, dialect.AllocMbarrier, dialect.AllocShared:
		return
	}
	m.busy(n)
}

// busyCall notes a call of a library function, unless it only computes.
func (m *machine) busyCall(name string, n program.Node) {
	if effect := m.effect(name); effect == dialect.Unread && !strings.HasPrefix(name, intrinsics) || effect == dialect.Touches || effect == dialect.Assigns {
		m.busy(n)
	}
}

// stray is an access through what may be an address and is not followed.
type stray struct {
	site  protocol.Site
	write bool
}

// strays notes such an access, to an attribute of Python that is not there, too: it may be to any memory. What is unknown in
// CuTe DSL is most often in registers; what memory became unknown was lost where it did (swallows).
func (m *machine) strays(n program.Node, base value.Value, write bool) {
	if _, missing := base.(value.Path); !missing || m.host || m.watch != nil {
		return
	}
	if m.in.stray == nil || write && !m.in.stray.write {
		m.in.stray = &stray{m.bare(n), write}
	}
}

// loseStrays gives up the shared memory that such an access may be to.
func (in *instance) loseStrays() {
	if in.stray == nil {
		return
	}
	for _, b := range in.blocks {
		if b.Shared && !b.Mbarrier && !b.InColumns() {
			in.untracked(b.Name, in.stray.why())
		}
	}
}

func (s *stray) why() string {
	return fmt.Sprintf("%s:%d accesses memory through an address that is not followed", s.site.Path, s.site.Line)
}

// swallows says that values are no longer followed from here on: where memory was among them, any access to it may come.
func (m *machine) swallows(n program.Node, vs ...value.Value) {
	if m.host {
		return
	}
	f, at := m.place(n.Where())
	why := fmt.Sprintf("kept in what is not followed, %s:%d", f.Source.Name, f.Source.Position(at.Start).Line)
	if m.surrender(vs, why, 0) == reachesGuard {
		m.noteOpaque(n.Where(), limit.Access.Says("an address kept in what is not followed"), true)
	}
}
