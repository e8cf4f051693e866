package lower

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// accumulator is what make_fragment_C gives of a shape: a tile in tensor memory, one stage behind the other, which is where
// the allocation begins until the program puts it elsewhere. The rows of 128 are the lanes of tensor memory, with a column
// for each number of 32 bits (PTX ISA 9.7.16.10.5); how others are laid out is not followed.
func (m *machine) accumulator(mma *cute.TiledMMA, of value.Value, name string) value.Value {
	shape := cute.ShapeOf(of)
	ms := cute.Modes(m.settleAll(shape))
	var stride value.Value = value.Data{}
	if len(ms) > 2 && cute.Product(cute.Part(ms[0], 0)) == value.Int(memory.LanesAll) && mma.AccumulatesWords() {
		steps := &value.Sequence{Elems: []value.Value{cute.Tuple(value.Int(memory.LaneStep), value.Int(1))}}
		step := cute.Product(cute.Part(ms[0], 1))
		for _, extent := range ms[1:] {
			if cute.IsOne(extent) {
				steps.Elems = append(steps.Elems, value.Int(0))
				continue
			}
			steps.Elems = append(steps.Elems, step)
			step = value.Binary("*", step, cute.Product(extent))
		}
		stride = steps
	}
	p, ok := m.columnPointer(value.Path("cutlass.Float32")).(value.Pointer)
	if !ok { // of the host side, for its layout
		return &cute.Tensor{Name: name, Shape: shape, Dtype: value.Path("cutlass.Float32"), Outer: -1, Local: true, Layout: stride}
	}
	t := m.columnTensor(p, shape, stride)
	t.Name, t.Mma = name, mma
	return t
}

// issues reports whether the group is the thread that issues an instruction of tcgen05 for the CTA or the pair, with which
// it uses their tensor memory (PTX ISA 9.7.16.6): cute.gemm and cute.copy elect it.
func (m *machine) issues(ctas value.Value, n program.Node) bool {
	if !m.truth(m.elected(fullWarp), n) {
		return false
	}
	for _, cta := range m.spanned(ctas) {
		m.usesTensorMemory(cta, n)
	}
	return true
}

// spanned are the CTAs whose tensor memory an instruction of so many CTAs works on.
func (m *machine) spanned(ctas value.Value) []int64 {
	if m.settle(ctas) == value.Int(2) && m.cta^1 < int64(m.in.ctas) {
		return []int64{m.cta, m.cta ^ 1}
	}
	return []int64{m.cta}
}

// gemm is cute.gemm(mma, d, a, b, c): what it reads, and, of tcgen05, the accumulator that it writes. Operands elsewhere
// than in memory are registers.
func (m *machine) gemm(a *value.Arguments, n program.Node) {
	mma, _ := a.Get(0, "atom").(*cute.TiledMMA)
	d, _ := a.Get(1, "d").(*cute.Tensor)
	switch {
	case mma != nil && (mma.Kind == "wgmma" || mma.InRegisters()):
	case mma != nil && d != nil && d.Block.InColumns():
		q := m.queues(n, false)
		if m.issues(mma.Ctas, n) {
			for _, cta := range m.spanned(mma.Ctas) {
				sums := m.columnAccess(d, true, cta, n, "MMA writes")
				q.sums = append(q.sums, sums...)
				m.untilCommit(sums, &q)
				for _, t := range m.scaled(n) {
					m.untilCommit(m.columnAccess(t, false, cta, n, "MMA reads"), &q)
				}
			}
		}
		m.operands(mma, []value.Value{a.Get(2, "a"), a.Get(3, "b")}, &q, n)
		if len(q.sums) > 0 {
			m.queue = append(m.queue, q)
		}
		return
	default:
		m.blindlyUses(n)
	}
	m.multiply(a.All(), n)
}

// operands are those of a multiplication by tcgen05: an operand, or one with its scale factors.
func (m *machine) operands(mma *cute.TiledMMA, vs []value.Value, q *queued, n program.Node) {
	for _, v := range vs {
		t, ok := v.(*cute.Tensor)
		switch {
		case ok && t.Block.InColumns():
			if m.issues(mma.Ctas, n) {
				for _, cta := range m.spanned(mma.Ctas) {
					m.untilCommit(m.columnAccess(t, false, cta, n, "MMA reads"), q)
				}
			}
		case ok:
			m.multiply([]value.Value{v}, n)
		default:
			if s, list := v.(*value.Sequence); list {
				m.operands(mma, s.Elems, q, n)
			}
		}
	}
}

// scalesBy is mma.set(field, value): of a multiplication with scale factors the fields SFA and SFB say where in tensor memory
// these are.
func (m *machine) scalesBy(field, x value.Value) {
	switch f, _ := field.(value.Path); value.LastWord(string(f)) {
	case "SFA":
		m.scales[0] = x
	case "SFB":
		m.scales[1] = x
	}
}

// scaled are the columns of scale factors that a multiplication may read: those behind the addresses that it was told.
func (m *machine) scaled(n program.Node) []*cute.Tensor {
	var out []*cute.Tensor
	for _, x := range m.scales {
		if p, ok := x.(value.Pointer); ok && p.Block.InColumns() {
			out = append(out, m.columnTensor(p, value.Data{}, value.Data{}))
		} else if x != nil {
			m.blindlyUses(n)
		}
	}
	return out
}

// copyToColumns is tcgen05.cp: it reads shared memory and writes tensor memory, until a commit covers it.
func (m *machine) copyToColumns(atom value.Value, s, d *cute.Tensor, n program.Node) {
	mma := &cute.TiledMMA{Kind: "tcgen05", Ctas: value.Int(1)}
	if op, ok := cute.OperationOf(value.FirstOf(atom.(*value.Object).Fields["op"], atom)).(*value.Object); ok && cute.IsPair(value.FirstOf(op.Fields["cta_group"], value.None{})) {
		mma.Ctas = value.Int(2)
	}
	read := *s
	read.Mma = mma
	m.asyncRead(&read, n, "tcgen05.cp reads")
	if d == nil || !d.Block.InColumns() {
		m.blindlyUses(n)
		return
	}
	if m.issues(mma.Ctas, n) {
		q := m.queues(n, true)
		for _, cta := range m.spanned(mma.Ctas) {
			list := m.columnAccess(d, true, cta, n, "tcgen05.cp writes")
			for i := range list {
				if list[i].Parts == protocol.Whole {
					list[i].Parts = protocol.OneCopy
				}
			}
			m.untilCommit(list, &q)
		}
		m.queue = append(m.queue, q)
	}
}

// multiply records what an asynchronous multiplication reads: its operands in shared memory, until a commit (tcgen05)
// or a wait_group (wgmma) covers it. A multiplication of registers reads nothing here.
func (m *machine) multiply(vs []value.Value, n program.Node) {
	for _, v := range vs {
		switch v := v.(type) {
		case *value.Sequence:
			m.multiply(v.Elems, n)
		case *cute.Tensor:
			v.Escape()
			if v.Block != nil {
				m.asyncRead(v, n, "MMA reads")
			}
		}
	}
}

// asyncRead adds a read that goes on after its instruction.
func (m *machine) asyncRead(t *cute.Tensor, n program.Node, verb string) {
	kind := ""
	if t.Mma != nil {
		kind = t.Mma.Kind
	}
	switch kind {
	case "warp", "thread":
		m.threadAccess(t, false, nil, n)
		return
	case "tcgen05":
		if !m.issues(t.Mma.Ctas, n) {
			return
		}
	case "":
		m.in.untracked(t.Block.Name, "read by a matrix multiplication whose kind is not known")
		return
	}
	m.operates(t.Block, n)
	if t.Lost || t.Adrift {
		m.in.untracked(t.Block.Name, unplaced)
		return
	}
	if kind != "tcgen05" {
		m.multipliesInOrder(n)
	}
	a, ok := m.touch(t, false, n, verb)
	if !ok {
		return
	}
	a.Async = true
	if slices.ContainsFunc(m.reading, a.Equal) {
		return
	}
	m.reading = append(m.reading, a)
	m.record(a, t.Block.Name)
}

// covered hands the reads of the multiplications so far to the commit that says when they are done.
func (m *machine) covered() []protocol.Access {
	out := m.reading
	m.reading = nil
	return out
}

// waitMultiplied ends the reads of all but the newest groups of wgmma (PTX ISA 9.7.15.7.3).
func (m *machine) waitMultiplied(keep int) {
	if keep < 0 || keep >= len(m.multiplied) {
		return
	}
	m.multiplied = m.multiplied[len(m.multiplied)-keep:]
}

// smemLayout is the shared-memory layout that a library function chooses for an operand or an epilogue tile: the tile's
// modes, then the stages. How it is swizzled does not matter here.
func (m *machine) smemLayout(name string, a *value.Arguments) value.Value {
	stages := a.Get(3, "num_stages")
	var shape *value.Sequence
	if mma, ok := a.Get(0, "tiled_mma").(*cute.TiledMMA); ok {
		tile := a.Get(1, "mma_tiler_mnk")
		rows, columns, depth := cute.Part(tile, 0), cute.Part(tile, 1), cute.Part(tile, 2)
		switch name {
		case "make_smem_layout_a":
			shape = mma.Fragment('A', cute.Tuple(rows, depth)).(*value.Sequence)
		case "make_smem_layout_b":
			shape = mma.Fragment('B', cute.Tuple(columns, depth)).(*value.Sequence)
		default: // scale factors: 128-row atoms whose content is not needed
			shape = cute.Tuple(m.unknownModes(name+cute.CanonicalArgs(a.All()), 3)...)
		}
	} else {
		tile := a.Get(1, "tile")
		if name == "make_smem_layout_epi" {
			tile = a.Get(2, "epi_tile")
		}
		x, y := cute.Part(cute.ShapeOf(tile), 0), cute.Part(cute.ShapeOf(tile), 1)
		if len(cute.Modes(tile)) == 3 && name != "make_smem_layout_epi" {
			y = cute.Part(tile, 2)
			if name == "make_smem_layout_b" {
				x = cute.Part(tile, 1)
			}
		}
		shape = cute.Tuple(cute.ShapeOf(x), cute.ShapeOf(y))
		if strings.HasSuffix(name, "sfa") || strings.HasSuffix(name, "sfb") {
			shape = cute.Tuple(m.unknownModes(name+cute.CanonicalArgs(a.All()), 3)...)
		}
	}
	if stages != nil {
		shape = &value.Sequence{Elems: append(append([]value.Value{}, shape.Elems...), stages)}
	}
	return &cute.Layout{Shape: shape, Stride: value.Data{}}
}

// Scale factors of a block-scaled multiplication lie in tensor memory as one byte each, four of K in a column, 32 rows in the
// lanes of each quarter alike (PTX ISA 9.7.16.10.7): 128 rows take four columns for four factors along K.

const (
	scaleRows   = 128
	scaleLanes  = 32
	scaleBytes  = 4                            // of a column
	byteLane    = memory.LaneStep * scaleBytes // from one lane to the next, counted in elements of a byte
	byteQuarter = byteLane * scaleLanes
)

// scaleLayout is the layout in tensor memory of the scale factors of A or B, for one stage of an operand in shared memory: as
// make_tmem_layout_sfa and make_tmem_layout_sfb give it (tried on nvidia-cutlass-dsl 4.8.1).
func (m *machine) scaleLayout(ofB bool, a *value.Arguments) value.Value {
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
	vector, known := m.settle(value.Whole(value.FirstOf(a.Get(2, "sf_vec_size"), value.Data{}))).(value.Int)
	step, known1 := m.settle(cute.Part(mma.Shape, 2)).(value.Int)
	depth, known2 := m.settle(cute.Part(tile, 2)).(value.Int)
	blocks, known3 := m.settle(cute.CeilDiv(rows, value.Int(scaleRows))).(value.Int)
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
		Shape:  cute.Tuple(cute.Tuple(cute.Tuple(cute.Tuple(value.Int(scaleLanes), scaleBytes*blocks), value.Int(memory.Quarters)), cute.Tuple(vector, each)), value.Int(1), rest),
		Stride: cute.Tuple(cute.Tuple(cute.Tuple(cute.Tuple(value.Int(byteLane), value.Int(scaleBytes)), value.Int(byteQuarter)), cute.Tuple(value.Int(0), along)), value.Int(0), next),
	}
}
