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

// scales are the scale factors of an operand: how many numbers along K one is of, how many an instruction has of a row, how many
// instructions there are along K, and how many blocks of 128 rows.
type scales struct {
	vector, each, times value.Int
	blocks              value.Value
}

func (s scales) along() value.Value { return value.Bool(s.each > 1) }

// scalesOf are the scale factors of A or B of a multiplication; all of these numbers but the last have to be known.
func scalesOf(ofB bool, a *value.Arguments, settle func(value.Value) value.Value) (s scales, ok bool) {
	mma, ok := a.Get(0, "tiled_mma").(*cute.TiledMMA)
	if !ok {
		return s, false
	}
	tile := a.Get(1, "mma_tiler_mnk")
	rows := cute.CeilDiv(cute.Part(tile, 0), mma.Ctas)
	if ofB {
		rows = cute.Part(tile, 1)
	}
	vector, known := settle(value.Whole(value.FirstOf(a.Get(2, "sf_vec_size"), value.Data{}))).(value.Int)
	step, known1 := settle(cute.Part(mma.Shape, 2)).(value.Int)
	depth, known2 := settle(cute.Part(tile, 2)).(value.Int)
	if !known || !known1 || !known2 || value.IsData(rows) || vector < 1 || step < vector || step%vector != 0 || depth%step != 0 {
		return s, false
	}
	s = scales{vector: vector, each: step / vector, times: depth / step, blocks: settle(cute.CeilDiv(rows, value.Int(scaleRows)))}
	return s, s.each <= scaleBytes && scaleBytes%s.each == 0
}

// SharedScaleLayout is the layout in shared memory of the scale factors of A or B, as make_smem_layout_sfa and make_smem_layout_sfb give it:
// of 128 rows and four factors of each 512 bytes, whose rows are 16 apart and every 32nd four (PTX ISA 9.7.16.10.7), those along K first.
// It is not known where one instruction has not all rows of the tile.
func SharedScaleLayout(ofB bool, a *value.Arguments, settle func(value.Value) value.Value) (*cute.Layout, bool) {
	s, ok := scalesOf(ofB, a, settle)
	stages := a.Get(3, "num_stages")
	if !ok || stages == nil || s.each*s.times%scaleBytes != 0 {
		return nil, false
	}
	mode := int(value.Bool(ofB))
	mma, tile := a.Get(0, "tiled_mma").(*cute.TiledMMA), cute.Part(a.Get(1, "mma_tiler_mnk"), mode)
	if value.Canonical(cute.Part(mma.Shape, mode)) != value.Canonical(tile) {
		return nil, false
	}
	if rows, known := settle(cute.CeilDiv(tile, mma.Ctas)).(value.Int); known && !ofB && rows%scaleRows != 0 {
		return nil, false
	}
	const block = scaleRows * scaleBytes
	groups := s.each * s.times / scaleBytes // of four factors along K
	var rest, next value.Value = cute.Tuple(scaleBytes/s.each, groups), cute.Tuple(s.each, value.Int(block))
	switch {
	case s.each == scaleBytes:
		rest, next = groups, value.Int(block)
	case groups == 1:
		rest, next = scaleBytes/s.each, s.each
	}
	stage := value.Binary("*", s.blocks, block*groups)
	between := block * groups
	if s.blocks == value.Value(value.Int(1)) {
		between = 0
	}
	return &cute.Layout{
		Shape:  cute.Tuple(cute.Tuple(cute.Tuple(cute.Tuple(value.Int(scaleLanes), value.Int(Quarters)), s.blocks), cute.Tuple(s.vector, s.each)), value.Int(1), rest, stages),
		Stride: cute.Tuple(cute.Tuple(cute.Tuple(cute.Tuple(value.Int(scaleBytes*Quarters), value.Int(scaleBytes)), between), cute.Tuple(value.Int(0), s.along())), value.Int(0), next, stage),
	}, true
}

// ScaleLayout is the layout in tensor memory of the scale factors of A or B, for one stage of an operand in shared memory: as
// make_tmem_layout_sfa and make_tmem_layout_sfb give it (tried on nvidia-cutlass-dsl 4.8.1).
func ScaleLayout(ofB bool, a *value.Arguments, settle func(value.Value) value.Value) value.Value {
	unknown := &cute.Layout{Shape: value.Data{}, Stride: value.Data{}}
	s, ok := scalesOf(ofB, a, settle)
	if !ok {
		return unknown
	}
	blocks, ok := s.blocks.(value.Int)
	if !ok {
		return unknown
	}
	vector, each, times := s.vector, s.each, s.times
	along := s.along()
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
		Scales: true,
		Shape:  cute.Tuple(cute.Tuple(cute.Tuple(cute.Tuple(value.Int(scaleLanes), scaleBytes*blocks), value.Int(Quarters)), cute.Tuple(vector, each)), value.Int(1), rest),
		Stride: cute.Tuple(cute.Tuple(cute.Tuple(cute.Tuple(value.Int(byteLane), value.Int(scaleBytes)), value.Int(byteQuarter)), cute.Tuple(value.Int(0), along)), value.Int(0), next),
	}
}
