package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Views of global memory count its elements by coordinates of the parameter: its strides are not known, and elements at
// different coordinates are different ones, so any pitch that is larger than an index tells them apart.

// laid says of a tensor that it is a layout over the global memory at an address.
func (m *machine) laid(t *cute.Tensor, address value.Symbol, over value.Value) {
	t.Root = value.Canonical(address)
	if p, ok := m.globalElement(address, nil); ok {
		t.Root = p.Block.Name
		by, _, known := m.places(p.Offset)
		t.Adrift = !known || len(by) > 0 // coordinates of it are other elements for each CTA
	}
	t.DividedBy(value.Canonical(address), over)
	l, ok := over.(*cute.Layout)
	if !ok {
		return
	}
	if _, unknown := l.Stride.(value.Data); !unknown {
		t.Base, t.Origin, t.Steps = address.Expr, value.Int(0), l.Strides()
	}
}

// inputView is a view of a parameter at a coordinate with None.
func (m *machine) inputView(sym value.Symbol, coord *value.Sequence) *cute.Tensor {
	t := cute.ViewOf(sym, len(coord.Elems))
	t.Input = true
	return t.Index(coord)
}

// globalStart is the address in global memory where a view starts whose places are known.
func (m *machine) globalStart(t *cute.Tensor) (value.Pointer, bool) {
	if t.Block != nil || t.Base == nil || t.Steps == nil || t.Split || t.Local {
		return value.Pointer{}, false
	}
	p, ok := m.globalElement(value.Symbol{Expr: t.Base}, slices.Repeat([]value.Value{value.Int(0)}, t.Rank))
	p.Offset = value.Binary("+", p.Offset, t.Origin)
	p.Elem = t.Dtype
	return p, ok
}

// globalSpot is the address of the element of a view at a coordinate.
func (m *machine) globalSpot(t *cute.Tensor, coord *value.Sequence) (value.Pointer, bool) {
	if t.Block != nil || t.Base == nil || t.Steps == nil || !cute.Congruent(t.Shape, coord) {
		return value.Pointer{}, false
	}
	at := t.Index(coord)
	p, ok := m.globalStart(at)
	if !at.Adrift && cute.LiesIn(t.Shape, coord) {
		p.Cuts = at.Cuts
	}
	return p, ok
}

// touchesGlobal notes that each thread accesses all of a tensor that may be in global memory: v is what it stores.
func (m *machine) touchesGlobal(t *cute.Tensor, write bool, v value.Value, n program.Node) {
	if t == nil || m.host {
		return
	}
	p, ok := m.globalStart(t)
	if ok {
		starts, width, known := cute.Runs(m.settleAll(t.Shape), m.settleAll(t.Steps))
		for _, s := range starts {
			q, a := p, protocol.Access{Write: write}
			if q.Cuts = t.Cuts; t.Adrift {
				q.Cuts = nil
			}
			q.Offset = value.Binary("+", p.Offset, value.Int(s))
			if write {
				a.Stored = m.valueStored(v)
			}
			m.accessing(q, a, width, n)
		}
		ok = known
	}
	if !ok {
		m.reachesTensor(t, write, n)
	}
}
