package memory

import (
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
)

// Scale factors of a block-scaled multiplication lie in tensor memory as one byte each, four of K in a column, 32 rows in the
// lanes of each quarter alike (PTX ISA 9.7.16.10.7): 128 rows take four columns for four factors along K.

const (
	scaleRows   = 128
	scaleLanes  = 32
	scaleBytes  = 4                     // of a column
	byteLane    = LaneStep * scaleBytes // from one lane to the next, counted in elements of a byte
	byteQuarter = byteLane * scaleLanes
)

// ScaleLayout is the layout in tensor memory of the scale factors of A or B, for one stage of an operand in shared memory: as
// make_tmem_layout_sfa and make_tmem_layout_sfb give it (tried on nvidia-cutlass-dsl 4.8.1).
func ScaleLayout(ofB bool, a *value.Arguments, settle func(value.Value) value.Value) value.Value {
	unknown := &cute.Layout{Shape: value.Data{}, Stride: value.Data{}}
	mma, ok := a.Get(0, "tiled_mma").(*cute.TiledMMA)
	if !ok {
		return unknown
	}
	tile := a.Get(1, "mma_tiler_mnk")
	rows := cute.CeilDiv(cute.Part(tile, 0), mma.Ctas)
	if ofB {
		rows = cute.Part(tile, 1)
	}
	vector, known := settle(value.Whole(value.FirstOf(a.Get(2, "sf_vec_size"), value.Data{}))).(value.Int)
	step, known1 := settle(cute.Part(mma.Shape, 2)).(value.Int)
	depth, known2 := settle(cute.Part(tile, 2)).(value.Int)
	blocks, known3 := settle(cute.CeilDiv(rows, value.Int(scaleRows))).(value.Int)
	if !known || !known1 || !known2 || !known3 || vector < 1 || step < vector || step%vector != 0 || depth%step != 0 {
		return unknown
	}
	each, times := step/vector, depth/step // factors of one instruction along K, and instructions
	if each > scaleBytes || scaleBytes%each != 0 {
		return unknown
	}
	var along value.Value = value.Int(1)
	if each == 1 {
		along = value.Int(0)
	}
	var rest, next value.Value = times, each
	switch group := scaleBytes / each; { // of instructions with their factors in one column
	case group == 1:
		next = scaleBytes * scaleBytes * blocks
	case times > group && times%group == 0:
		rest, next = cute.Tuple(group, times/group), cute.Tuple(each, scaleBytes*scaleBytes*blocks)
	case times > group:
		return unknown
	}
	return &cute.Layout{
		Shape:  cute.Tuple(cute.Tuple(cute.Tuple(cute.Tuple(value.Int(scaleLanes), scaleBytes*blocks), value.Int(Quarters)), cute.Tuple(vector, each)), value.Int(1), rest),
		Stride: cute.Tuple(cute.Tuple(cute.Tuple(cute.Tuple(value.Int(byteLane), value.Int(scaleBytes)), value.Int(byteQuarter)), cute.Tuple(value.Int(0), along)), value.Int(0), next),
	}
}
