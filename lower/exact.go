package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Of a view whose shape, strides and place are known it is known which elements each thread touches: those that a thread
// indexes for itself, a slice of its own, or all of the tensor.

// exact gives the elements of the block that every thread touches all of, a list of ranges a run of neighbours: one range for all
// threads, or one for each. It answers false where they are not known.
func (m *machine) exact(t *cute.Tensor) ([][]protocol.Range, bool) {
	if t.Block == nil || t.Steps == nil || t.Lost || t.Adrift || t.Split {
		return nil, false
	}
	up, down, ok := m.scale(t)
	if !ok {
		return nil, false
	}
	starts, width, ok := cute.Runs(m.settleAll(t.Shape), m.settleAll(t.Steps))
	if !ok {
		return nil, false
	}
	var from value.Lanes
	switch at := m.settle(t.Origin).(type) {
	case value.Int:
		from = value.Lanes{int64(at)}
	case value.Lanes:
		from = at
	default:
		return nil, false
	}
	var out [][]protocol.Range
	for _, s := range starts {
		rs := make([]protocol.Range, len(from))
		for i, at := range from {
			lo, hi := (at+s)*up/down, ((at+s+width)*up+down-1)/down
			if lo < 0 || hi > memory.Anywhere {
				return nil, false
			}
			rs[i] = protocol.Range{Lo: int(lo), Hi: int(hi)}
		}
		out = append(out, rs)
	}
	return out, true
}

// scale is by what an element of the view is counted in those of its block.
func (m *machine) scale(t *cute.Tensor) (up, down int64, ok bool) {
	unit := value.CanonicalType(t.Dtype)
	if t.Block.Unit == "" {
		t.Block.Unit, t.Block.Typed = unit, t.Dtype
	}
	if t.Block.Unit == unit {
		return 1, 1, true
	}
	if t.Block.Typed == nil || !value.SameScale(t.Block.Typed, t.Dtype) {
		return 0, 0, false
	}
	m.in.supposes(t.Block, t.Dtype)
	return value.BitsOf(t.Dtype), value.BitsOf(t.Block.Typed), true
}

// shareOfView numbers the part of a block that the elements are in which a thread accesses of a view, 0 where that is not known.
func (m *machine) shareOfView(t *cute.Tensor) int {
	if t.Share != 0 || t.Steps == nil || t.Lost || t.Adrift || t.Split {
		return t.Share
	}
	up, down, ok := m.scale(t)
	starts, width, known := cute.Runs(m.settleAll(t.Shape), m.settleAll(t.Steps))
	if !ok || !known || up != down || len(starts) > 1 {
		return 0
	}
	return m.shareOfResidues(t.Block, t.Block.Unit, m.settle(t.Origin), width)
}

// valueStored tells the values apart that threads store (protocol.Access).
func (m *machine) valueStored(v value.Value) int {
	switch v := value.Whole(v).(type) {
	case value.Int, value.Float:
		return m.in.storedAs(value.Canonical(v))
	case value.Symbol:
		if value.UniformSymbol(v) {
			return m.in.storedAs(value.Canonical(v))
		}
	case value.Data:
		if m.constant != "" {
			return m.in.storedAs(m.constant)
		}
	case value.Lanes:
		each := make([]int64, len(v))
		for i := range v {
			each[i] = v[i] - m.threads[i]
		}
		if slices.Min(each) == slices.Max(each) {
			return protocol.Distinct
		}
	}
	return 0
}

// storedAs numbers what is one value wherever it is stored.
func (in *instance) storedAs(what string) int {
	if in.stores == nil {
		in.stores = map[string]int{}
	}
	if in.stores[what] == 0 {
		in.stores[what] = len(in.stores) + 1
	}
	return in.stores[what]
}
