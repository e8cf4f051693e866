package memory

import (
	"strings"

	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/protocol"
)

// The shape of tensor memory (PTX ISA 9.7.16.1).
const (
	LaneBytes = 512 * 4 // of one lane
	Quarters  = 4       // of the lanes, of which each warp of a warpgroup accesses its own
	LaneStep  = 1 << 16 // the least step from one lane to the next: the lane of an address is in its upper 16 bits
	LanesAll  = 128
)

// AcrossColumns is how many elements of a lane a layout spans, and whether it has all of them in all lanes.
func AcrossColumns(shape, stride value.Value) (span int64, whole, ok bool) {
	ns, ss := cute.Flatten(shape), cute.Flatten(stride)
	if len(ns) != len(ss) {
		return 0, false, false
	}
	span, elements, lanes := 1, int64(1), int64(1)
	for i := range ns {
		n, ok1 := ns[i].(value.Int)
		s, ok2 := ss[i].(value.Int)
		switch {
		case !ok1 || !ok2 || n < 1 || s < 0 || n > LaneBytes*8:
			return 0, false, false
		case s >= LaneStep:
			lanes *= int64(n)
		case s > 0:
			span += int64(n-1) * int64(s)
			elements *= int64(n)
		}
	}
	return span, elements == span && lanes == LanesAll, span <= LaneBytes*8
}

// Transferred is how many columns a tcgen05.ld or tcgen05.st with a repetition has (PTX ISA 9.7.16.8.1), and whether it
// has all of them in the lanes of its warp.
func Transferred(shape value.Value, times int64) (columns int64, all bool) {
	name := value.Canonical(shape)
	for word, n := range map[string]int64{"32x32b": 1, "16x64b": 2, "16x128b": 4, "16x256b": 8} {
		if strings.HasSuffix(strings.ToLower(strings.Trim(name, "\"'")), word) {
			return n * times, word == "32x32b"
		}
	}
	return 0, false
}

// InQuarter are the ranges of columns in a quarter of the lanes.
func InQuarter(q int, r protocol.Range) protocol.Range {
	return protocol.Range{Lo: q*LaneBytes + r.Lo, Hi: q*LaneBytes + r.Hi}
}

// Extent is where the elements are that an access touches: one range, or one a thread where the stage differs between
// threads. Unless all is set, the access touches some of these elements, and which is not known.
type Extent struct {
	Ranges []protocol.Range
	All    bool
}

// Anywhere ends a range that is all of a block, until everything is known that the block is used for.
const Anywhere = 1 << 40

// Somewhere is all of a block.
var Somewhere = Extent{Ranges: []protocol.Range{{Hi: Anywhere}}}

// Division says whose part of its extent a view is, for an asynchronous access.
func (e Extent) Division(t *cute.Tensor) protocol.Division {
	switch {
	case !e.All:
		return protocol.Somewhere
	case t.Split:
		return protocol.ByThread
	case t.Picked || t.Boxes != 0 && t.Boxes != 1 || t.Maybe:
		return protocol.ByCopy
	}
	return protocol.OneCopy
}

// Inside reports whether ranges all lie in some of others.
func Inside(a, b []protocol.Range) bool {
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
