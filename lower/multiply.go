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
			if t.Mma == nil { // a view of shared memory that was not made its fragment
				of := *t
				of.Mma = mma
				t = &of
			}
			m.multiply([]value.Value{t}, n)
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
		default: // scale factors
			if l, known := memory.SharedScaleLayout(name == "make_smem_layout_sfb", a, m.settle); known {
				return l
			}
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

// addressed is a multiplication by tcgen05 or wgmma, a copy to tensor memory or a shift in it, that is told by addresses and
// descriptors where its operands are. It is the instruction: nobody is elected for it.
func (m *machine) addressed(o operands) {
	n := o.node
	mma := &cute.TiledMMA{Kind: "tcgen05", Ctas: value.Int(1)}
	switch {
	case o.op.Has("at"):
		m.blindlyUses(n)
		m.unplacedAsync(n)
		return
	case !o.op.Has("d"):
		mma.Kind = "wgmma"
		m.described(o.value("a"), mma, n)
		m.described(o.value("b"), mma, n)
		return
	case o.op.Has("group") && !cute.IsSingle(o.value("group")):
		mma.Ctas = value.Int(2)
	}
	q := m.queues(n, !o.op.Has("b"))
	columns, depth, whole := m.instructed(o.or("idesc", value.None{}), mma)
	sums, known := m.columnsBehind(o.value("d"), columns)
	var reads []protocol.Range
	for _, name := range []string{"sa", "sb"} {
		if v := o.value(name); v != nil {
			r, _ := m.columnsBehind(v, 0)
			reads = append(reads, r)
		}
	}
	a, b := o.value("a"), o.value("b")
	p, _ := m.pointerOf(a)
	if _, elsewhere := descriptor(a); a != nil && !elsewhere {
		r, _ := m.columnsBehind(a, depth)
		reads = append(reads, r)
	}
	for _, cta := range m.spanned(mma.Ctas) {
		m.usesTensorMemory(cta, n)
		list := m.engineRange(sums, whole && known, true, cta, n, q.String()+" writes")
		if m.untilCommit(list, &q); !q.copies {
			q.sums = append(q.sums, list...)
		}
		for _, r := range reads {
			m.untilCommit(m.engineRange(r, false, false, cta, n, q.String()+" reads"), &q)
		}
	}
	m.queue = append(m.queue, q)
	if a != nil && !p.Block.InColumns() {
		m.described(a, mma, n)
	}
	if b != nil {
		m.described(b, mma, n)
	}
}

// instructed is what an instruction descriptor says of tensor memory, 0 where that is not known: how many columns the sums
// have, and whether in all lanes, as rows of 128 a CTA with sums of 32 bits have (PTX ISA 9.7.16.10.5); and how many an operand
// has, which is 32 bytes deep.
func (m *machine) instructed(v value.Value, mma *cute.TiledMMA) (sums, operand int64, whole bool) {
	d, ok := v.(*value.Object)
	if !ok {
		return 0, 0, false
	}
	number := func(field string) value.Value {
		return m.settle(value.Whole(value.FirstOf(d.Fields[field], value.Data{})))
	}
	n, known := number("n_dim").(value.Int)
	if !known {
		return 0, 0, false
	}
	rows := value.Binary("*", value.Int(memory.LanesAll), mma.Ctas)
	return int64(n), 8, number("m_dim") == rows && value.BitsOf(value.FirstOf(d.Fields["c_dtype"], value.Data{})) == 32
}

// columnsBehind are n columns behind an address, all that there are behind it where n is 0, and whether it is known and in
// the first lane.
func (m *machine) columnsBehind(v value.Value, n int64) (protocol.Range, bool) {
	p, ok := m.pointerOf(v)
	at, known := m.settle(value.FirstOf(p.Offset, value.Data{})).(value.Int)
	if !ok || !p.Block.InColumns() || !known || at < 0 || at >= memory.LaneBytes {
		return protocol.Range{Hi: memory.LaneBytes}, false
	}
	r := protocol.Range{Lo: int(at), Hi: memory.LaneBytes}
	if n > 0 {
		r.Hi = min(r.Hi, r.Lo+int(n)*4)
	}
	return r, n > 0
}

// descriptor is the address that a descriptor of shared memory was made of.
func descriptor(v value.Value) (value.Value, bool) {
	d, ok := v.(*value.Object)
	if !ok {
		return nil, false
	}
	at, ok := d.Fields["memory"]
	return at, ok
}

// atom is what a swizzle moves parts of an operand within (PTX ISA 9.7.16.10.6).
const atom = 1024

// described is an operand in the shared memory of each CTA that the instruction is of: some of what is behind the address in
// its descriptor.
func (m *machine) described(v value.Value, mma *cute.TiledMMA, n program.Node) {
	from, _ := descriptor(v)
	p, ok := m.pointerOf(from)
	if m.host {
		return
	}
	if !ok || !p.Block.Shared {
		m.unplacedAsync(n)
		return
	}
	m.operates(p.Block, n)
	r := protocol.Range{Hi: memory.Anywhere}
	ahead, known := m.settle(v.(*value.Object).Fields["ahead"]).(value.Int)
	if at, fixed := m.settle(p.Offset).(value.Int); fixed && known && p.Block.Size > 0 && p.Block.Unit == "" && at >= 0 {
		r.Lo = int(max(0, int64(at)+int64(ahead)/p.Block.Size)) / atom * atom
	}
	if mma.Kind == "wgmma" {
		m.multipliesInOrder(n)
	}
	for _, cta := range m.spanned(mma.Ctas) {
		p.Cta = value.Int(cta)
		a := protocol.Access{Buffer: m.buffer(p, n), Elements: []protocol.Range{r}, Parts: protocol.Somewhere, Async: true, Maybe: m.sampling,
			Site: m.site(n.Where(), "MMA reads part of %s", p.Block.Name)}
		if !slices.ContainsFunc(m.reading, a.Equal) {
			m.reading = append(m.reading, a)
			m.record(a, p.Block.Name)
		}
	}
}
