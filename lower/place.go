package lower

import (
	"fmt"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/build"
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/protocol"
)

// unplaced is why races on a block are not searched that is used at places that are not known.
const unplaced = "used by parts whose place is not known"

// ranges are the elements of the block that the view covers, or why they are not known.
func (m *machine) ranges(t *cute.Tensor) (memory.Extent, string) {
	span, ok1 := m.settle(t.Span).(value.Int)
	first, ok2 := m.settle(t.First).(value.Int)
	stages, ok3 := m.settle(t.Stages).(value.Int)
	unit := value.CanonicalType(t.Dtype)
	if t.Adrift || !ok2 {
		return memory.Somewhere, ""
	}
	if !ok1 {
		if first != 0 {
			return memory.Somewhere, ""
		}
		span, unit = 1, "stages of "+value.Canonical(t.Span)
	}
	if t.Block.Unit == "" {
		t.Block.Unit = unit
		if ok1 {
			t.Block.Typed = t.Dtype
		}
	}
	scaleUp, scaleDown := int64(1), int64(1)
	if t.Block.Unit != unit {
		if !ok1 || !value.SameScale(t.Block.Typed, t.Dtype) {
			return memory.Somewhere, ""
		}
		scaleUp, scaleDown = value.BitsOf(t.Dtype), value.BitsOf(t.Block.Typed)
		m.in.supposes(t.Block, t.Dtype)
	}
	at := func(lo, n value.Int) protocol.Range {
		return protocol.Range{Lo: int(int64(lo) * scaleUp / scaleDown), Hi: int((int64(lo+n)*scaleUp + scaleDown - 1) / scaleDown)}
	}
	if span < 1 || span > memory.Anywhere || first < 0 || first > memory.Anywhere {
		return memory.Extent{}, "an extent that makes no sense"
	}
	if ok3 && (stages < 1 || stages > memory.Anywhere/span) {
		return memory.Extent{}, "a number of stages that makes no sense"
	}
	stage, known := m.settle(t.Stage), !t.Lost
	switch s := stage.(type) {
	case value.Int:
		if s < 0 || ok3 && s >= stages {
			return memory.Extent{}, "a stage outside the buffer"
		}
		if known {
			return memory.Extent{Ranges: []protocol.Range{at(first+s*span, span)}, All: !t.Part}, ""
		}
	case value.Lanes:
		out := make([]protocol.Range, len(s))
		for i, x := range s {
			if x < 0 || ok3 && x >= int64(stages) {
				return memory.Extent{}, "a stage outside the buffer"
			}
			out[i] = at(first+value.Int(x)*span, span)
		}
		if known {
			return memory.Extent{Ranges: out, All: !t.Part}, ""
		}
	case nil:
	default:
		known = false
	}
	if !ok3 {
		return memory.Somewhere, ""
	}
	return memory.Extent{Ranges: []protocol.Range{at(first, stages*span)}, All: known && !t.Part}, ""
}

// settlePlaces gives accesses anywhere in a block the block's extent. A block is given up that multiplications read and others write at stages that are not known: which write overwrites what they read is
// not known then (settleReads).
func (in *instance) settlePlaces(groups []*machine) {
	blocks := in.blocksOf()
	reads := in.multiplied(groups)
	settle := func(list []protocol.Access) {
		for i := range list {
			a := &list[i]
			if a.Parts != protocol.Somewhere {
				continue
			}
			name, b := in.buffers[a.Buffer].Name, blocks[a.Buffer]
			if a.Elements[0].Hi == memory.Anywhere {
				n, ok := b.Extent()
				if !ok { // nothing is known to cover it
					n = memory.Anywhere
				}
				if ok && b.Typed != nil && b.Elem != nil && value.CanonicalType(b.Typed) != value.CanonicalType(b.Elem) {
					in.supposes(b, b.Elem)
				}
				a.Elements = []protocol.Range{{Hi: n}}
				in.reaches(a.Buffer, n)
			}
			for _, r := range reads[a.Buffer] {
				if a.Write && !in.isColumns(a.Buffer) && protocol.Overlap(a.Elements, r.Elements) && !memory.Inside(a.Elements, r.Elements) {
					in.untracked(name, unplaced)
				}
			}
		}
	}
	for _, m := range groups {
		for l, b := range m.blocks {
			settle(b[build.Carried(m.blocks, l):])
		}
		for _, o := range m.ops {
			settle(o.Access)
		}
	}
}

// multiplied are the reads by multiplications, by buffer.
func (in *instance) multiplied(groups []*machine) map[int][]protocol.Access {
	out := map[int][]protocol.Access{}
	for _, m := range groups {
		for i := range m.ops {
			if !memory.Commits(&m.ops[i], nil) {
				continue
			}
			for _, a := range m.ops[i].Access {
				out[a.Buffer] = with(out[a.Buffer], a)
			}
		}
	}
	return out
}

// supposes notes that places in a block are those of types whose widths are only assumed: what overlaps as far as is known
// may lie apart.
func (in *instance) supposes(b *value.Block, dtype value.Value) {
	for _, typ := range []value.Value{b.Typed, dtype} {
		if s, ok := typ.(value.Symbol); ok {
			in.supposed[b.Name] = fmt.Sprintf("%s%s is %d bits wide", clip(strings.TrimSuffix(s.Expr.String(), value.ElementType)), value.ElementType, value.BitsOf(s))
			return
		}
	}
}
