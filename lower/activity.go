package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

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
