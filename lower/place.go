package lower

import (
	"fmt"
	"strings"

	"github.com/fencepost-dev/fencepost/protocol"
)

// extent is where the elements are that an access touches: one range, or one a thread where the stage differs between
// threads. Unless all is set, the access touches some of these elements, and which is not known.
type extent struct {
	ranges []protocol.Range
	all    bool
}

// anywhere ends a range that is all of a block, until everything is known that the block is used for.
const anywhere = 1 << 40

// unplaced is why races on a block are not searched that is used at places that are not known.
const unplaced = "used by parts whose place is not known"

// ranges are the elements of the block that the view covers, or why they are not known.
func (m *machine) ranges(t *tensor) (extent, string) {
	span, ok1 := m.settle(t.span).(integer)
	first, ok2 := m.settle(t.first).(integer)
	stages, ok3 := m.settle(t.stages).(integer)
	unit := canonicalType(t.dtype)
	if t.adrift || !ok2 {
		return somewhere, ""
	}
	if !ok1 {
		if first != 0 {
			return somewhere, ""
		}
		span, unit = 1, "stages of "+canonical(t.span)
	}
	if t.block.unit == "" {
		t.block.unit = unit
		if ok1 {
			t.block.typed = t.dtype
		}
	}
	scaleUp, scaleDown := int64(1), int64(1)
	if t.block.unit != unit {
		if !ok1 || !sameScale(t.block.typed, t.dtype) {
			return somewhere, ""
		}
		scaleUp, scaleDown = bitsOf(t.dtype), bitsOf(t.block.typed)
		m.in.supposes(t.block, t.dtype)
	}
	at := func(lo, n integer) protocol.Range {
		return protocol.Range{Lo: int(int64(lo) * scaleUp / scaleDown), Hi: int((int64(lo+n)*scaleUp + scaleDown - 1) / scaleDown)}
	}
	if span < 1 || span > anywhere || first < 0 || first > anywhere {
		return extent{}, "an extent that makes no sense"
	}
	if ok3 && (stages < 1 || stages > anywhere/span) {
		return extent{}, "a number of stages that makes no sense"
	}
	stage, known := m.settle(t.stage), !t.lost
	switch s := stage.(type) {
	case integer:
		if s < 0 || ok3 && s >= stages {
			return extent{}, "a stage outside the buffer"
		}
		if known {
			return extent{[]protocol.Range{at(first+s*span, span)}, !t.part}, ""
		}
	case lanes:
		out := make([]protocol.Range, len(s))
		for i, x := range s {
			if x < 0 || ok3 && x >= int64(stages) {
				return extent{}, "a stage outside the buffer"
			}
			out[i] = at(first+integer(x)*span, span)
		}
		if known {
			return extent{out, !t.part}, ""
		}
	case nil:
	default:
		known = false
	}
	if !ok3 {
		return somewhere, ""
	}
	return extent{[]protocol.Range{at(first, stages*span)}, known && !t.part}, ""
}

var somewhere = extent{ranges: []protocol.Range{{Hi: anywhere}}}

// division says whose part of its extent a view is, for an asynchronous access.
func (t *tensor) division(e extent) protocol.Division {
	switch {
	case !e.all:
		return protocol.Somewhere
	case t.split:
		return protocol.ByThread
	case t.picked || t.boxes != 0 && t.boxes != 1 || t.maybe:
		return protocol.ByCopy
	}
	return protocol.OneCopy
}

// predicated is a view that a copy touches as far as a predicate says.
func predicated(pred, v value) value {
	t, ok := v.(*tensor)
	if _, never := pred.(none); !ok || t.block == nil || pred == nil || never {
		return v
	}
	some := *t
	some.maybe = true
	return &some
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
			if a.Elements[0].Hi == anywhere {
				n, ok := b.extent()
				if !ok { // nothing is known to cover it
					n = anywhere
				}
				if ok && b.typed != nil && b.elem != nil && canonicalType(b.typed) != canonicalType(b.elem) {
					in.supposes(b, b.elem)
				}
				a.Elements = []protocol.Range{{Hi: n}}
				in.reaches(a.Buffer, n)
			}
			for _, r := range reads[a.Buffer] {
				if a.Write && !in.isColumns(a.Buffer) && protocol.Overlap(a.Elements, r.Elements) && !inside(a.Elements, r.Elements) {
					in.untracked(name, unplaced)
				}
			}
		}
	}
	for _, m := range groups {
		for _, b := range m.blocks {
			settle(b)
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
			if !commits(&m.ops[i], nil) {
				continue
			}
			for _, a := range m.ops[i].Access {
				out[a.Buffer] = with(out[a.Buffer], a)
			}
		}
	}
	return out
}

// extent is how many elements a block has, in what accesses to it count, as far as that is known.
func (b *block) extent() (n int, ok bool) {
	switch {
	case b.elements <= 0:
		return 0, false
	case b.unit == "" || b.elem != nil && b.unit == canonicalType(b.elem):
		return int(b.elements), true
	case b.elem == nil || b.typed == nil || !sameScale(b.elem, b.typed):
		return 0, false
	}
	from, to := bitsOf(b.elem), bitsOf(b.typed)
	return int((b.elements*from + to - 1) / to), true
}

// inside reports whether ranges all lie in some of others.
func inside(a, b []protocol.Range) bool {
	for _, x := range a {
		in := false
		for _, y := range b {
			in = in || y.Lo <= x.Lo && x.Hi <= y.Hi
		}
		if !in {
			return false
		}
	}
	return true
}

// sameScale reports whether places in the elements of one type can be told in those of another: both widths are known,
// or they are the same as far as is assumed.
func sameScale(a, b value) bool {
	x, y := bitsOf(firstOf(a, data{})), bitsOf(firstOf(b, data{}))
	_, assumed := a.(symbol)
	_, too := b.(symbol)
	return x > 0 && y > 0 && (x == y || !assumed && !too)
}

// supposes notes that places in a block are those of types whose widths are only assumed: what overlaps as far as is known
// may lie apart.
func (in *instance) supposes(b *block, dtype value) {
	for _, typ := range []value{b.typed, dtype} {
		if s, ok := typ.(symbol); ok {
			in.supposed[b.name] = fmt.Sprintf("%s%s is %d bits wide", clip(strings.TrimSuffix(s.expr.String(), elementType)), elementType, bitsOf(s))
			return
		}
	}
}

// canonicalType is one spelling of an element type.
func canonicalType(dtype value) string {
	if dtype == nil {
		return "elements"
	}
	return canonical(dtype)
}
