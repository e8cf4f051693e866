package lower

import (
	"math/bits"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// query answers the operations that only ask where the thread is.
func (m *machine) query(op *dialect.Op, n program.Node) (value.Value, bool) {
	dims := m.in.block
	axis := op.Text("axis", "")
	triple := func(f func(axis string) value.Value) (value.Value, bool) {
		if axis != "" {
			return f(axis), true
		}
		return &value.Sequence{Elems: []value.Value{f("x"), f("y"), f("z")}}, true
	}
	each := func(f func(t int64) int64) value.Value {
		out := make(value.Lanes, len(m.threads))
		for i, t := range m.threads {
			out[i] = f(t)
		}
		return out.Shrink()
	}
	switch op.Kind {
	case dialect.ThreadIdx:
		return triple(func(a string) value.Value {
			if m.host {
				return value.Data{}
			}
			return each(func(t int64) int64 {
				switch a {
				case "x":
					return t % dims[0]
				case "y":
					return t / dims[0] % dims[1]
				}
				return t / (dims[0] * dims[1])
			})
		})
	case dialect.LaneIdx:
		return each(func(t int64) int64 { return t % 32 }), true
	case dialect.WarpIdx:
		return each(func(t int64) int64 { return t / 32 }), true
	case dialect.WarpGroupIdx:
		return each(func(t int64) int64 { return t / 128 }), true
	case dialect.ElectOne:
		return m.elected(fullWarp), true
	case dialect.BlockDim:
		return triple(func(a string) value.Value { return value.Int(dims[axisIndex(a)]) })
	case dialect.BlockIdx:
		return triple(func(a string) value.Value {
			switch {
			case m.in.grid[axisIndex(a)] == 1:
				return value.Int(0)
			case m.in.cluster && m.in.clus[axisIndex(a)] > 1:
				// blockIdx = clusterid * cluster_nctaid + cluster_ctaid (PTX ISA 10, %clusterid).
				return value.Binary("+", value.Binary("*", m.clusterIndex(a), value.Int(m.in.clus[axisIndex(a)])), value.Int(m.coordinate(a)))
			case !m.in.cluster && m.in.ctas > 1 && a == m.in.spread:
				return value.Int(m.cta)
			}
			return value.Atom("block_idx." + a)
		})
	case dialect.GridDim:
		return triple(func(a string) value.Value {
			if g := m.in.grid[axisIndex(a)]; g > 0 {
				return value.Int(g)
			}
			return m.gridExtent("grid_dim." + a)
		})
	case dialect.ClusterIdx:
		return triple(m.clusterIndex)
	case dialect.ClusterCount:
		return triple(func(a string) value.Value {
			if g := m.in.grid[axisIndex(a)]; g > 0 {
				return value.Int(g / m.in.clus[axisIndex(a)])
			}
			return m.gridExtent("cluster_dim." + a)
		})
	case dialect.ClusterCoord:
		m.needCluster(n)
		return triple(func(a string) value.Value { return value.Int(m.coordinate(a)) })
	case dialect.ClusterShape:
		m.needCluster(n)
		return triple(func(a string) value.Value { return value.Int(m.in.clus[axisIndex(a)]) })
	case dialect.ClusterRank:
		m.needCluster(n)
		if m.in.cluster {
			return value.Int(m.cta), true
		}
		return value.Int(0), true
	case dialect.ClusterSize:
		m.needCluster(n)
		if m.in.cluster {
			return value.Int(m.in.ctas), true
		}
		return value.Int(1), true
	}
	return nil, false
}

// elected is 1 in the lane that elect.sync picks among those of a mask: PTX leaves the choice open but fixes it for a
// mask, so the lowest lane stands for it.
func (m *machine) elected(mask int64) value.Value {
	lowest := int64(bits.TrailingZeros32(uint32(mask)))
	out := make(value.Lanes, len(m.threads))
	for i, t := range m.threads {
		out[i] = int64(value.Bool(t%32 == lowest))
	}
	return out.Shrink()
}

// clusterIndex is the place of the modelled cluster in the grid: any one, as all run the same kernel.
func (m *machine) clusterIndex(axis string) value.Value {
	if i := axisIndex(axis); m.in.grid[i] == 0 || m.in.grid[i] > m.in.clus[i] {
		return value.Atom("cluster_idx." + axis)
	}
	return value.Int(0)
}

// coordinate is the CTA's place in the cluster along an axis; ranks count x first (PTX ISA 10, %cluster_ctarank).
func (m *machine) coordinate(axis string) int64 {
	c := m.in.clus
	if !m.in.cluster {
		return 0
	}
	switch axis {
	case "y":
		return m.cta / c[0] % c[1]
	case "z":
		return m.cta / (c[0] * c[1])
	}
	return m.cta % c[0]
}

func axisIndex(a string) int {
	switch a {
	case "y":
		return 1
	case "z":
		return 2
	}
	return 0
}

// gridExtent is an extent of the grid that the host side does not tell. A launch without CTAs is refused, so it is not zero.
func (m *machine) gridExtent(name string) value.Value {
	a := value.Atom(name)
	m.positive(a.Expr)
	return a
}
