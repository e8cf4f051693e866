package lower

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/lower/build"
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Tensor memory of a CTA has 128 lanes of 512 columns of 32 bits (PTX ISA 9.7.16.1). The engines of tcgen05.mma and
// tcgen05.cp reach all lanes, a warp by tcgen05.ld and tcgen05.st the 32 that its rank modulo four gives (PTX ISA
// 9.7.16.2.3). So in the model it is a buffer of four quarters, the bytes of a lane each: what two warps of a warp group
// do to the same columns is done to different elements. The lanes of a warp move together (.sync.aligned); their accesses
// are those of its first lane.
//
// Of a view it is known in which columns it lies where its strides are known, and which stage of them is meant. An
// allocation begins at column 0: with one of them, which is all that is followed, nothing hangs on where it begins.

// otherwise is why races on tensor memory are not searched where something else than an instruction of tcgen05 is handed its
// address.
const otherwise = "accessed in a way that is not known"

// columns is tensor memory as a block, counted in bytes of a lane.
func (m *machine) columns() *value.Block {
	b := m.in.blocks[value.TensorColumns]
	if b == nil {
		b = &value.Block{Name: value.TensorColumns, Shared: true, Elements: memory.Quarters * memory.LaneBytes, Size: 1}
		m.in.blocks[value.TensorColumns] = b
	}
	return b
}

// isColumns reports whether a buffer is tensor memory.
func (in *instance) isColumns(buffer int) bool { return in.buffers[buffer].Name == value.TensorColumns }

// columnPointer is the address of the allocation, as a pointer to elements of a type.
func (m *machine) columnPointer(dtype value.Value) value.Value {
	if m.host {
		return value.Data{}
	}
	p := value.Pointer{Block: m.columns(), Offset: value.Int(0), Elem: dtype, Each: value.BitsOf(value.FirstOf(dtype, value.Data{})) / 8}
	if p.Each == 0 {
		p.Each = value.Odd
	}
	return p
}

// columnTensor lays a layout over tensor memory.
func (m *machine) columnTensor(p value.Pointer, shape, stride value.Value) *cute.Tensor {
	first := p.Offset
	switch {
	case p.Each > 1:
		first = value.Binary("//", p.Offset, value.Int(p.Each))
	case p.Each == value.Odd && p.Offset != value.Int(0):
		first = value.Data{}
	}
	t := &cute.Tensor{Name: p.Block.Name, Shape: shape, Dtype: p.Elem, Block: p.Block, Cta: p.Cta, First: first, Span: value.Data{}, Stages: value.Int(1), Outer: -1, Layout: stride}
	shape, stride = m.settleAll(shape), m.settleAll(value.FirstOf(stride, value.Data{}))
	ms, ss := cute.Modes(shape), cute.Modes(stride)
	if len(ms) != len(ss) {
		return t
	}
	last := len(ms) - 1
	inner, whole, ok := memory.AcrossColumns(&value.Sequence{Elems: ms[:last]}, &value.Sequence{Elems: ss[:last]})
	if step, known := ss[last].(value.Int); ok && known && inner > 1 && step >= value.Int(inner) && step < memory.LaneStep {
		t.Span, t.Stages, t.Outer, t.Part = step, cute.Product(ms[last]), last, !whole || int64(step) != inner
		return t
	}
	if all, whole, ok := memory.AcrossColumns(shape, stride); ok {
		t.Span, t.Part = value.Int(all), !whole
	}
	return t
}

// columnsOf are the bytes of a lane in which a view lies, and whether it surely has all of them.
func (m *machine) columnsOf(t *cute.Tensor) (r protocol.Range, all bool) {
	r = protocol.Range{Hi: memory.LaneBytes}
	bits := value.BitsOf(value.FirstOf(t.Dtype, value.Data{}))
	first, ok := m.settle(t.First).(value.Int)
	at := func(n value.Int) int { return int(int64(n) * bits / 8) }
	switch {
	case !ok || bits == 0 || t.Adrift || first < 0 || at(first) >= memory.LaneBytes:
		return r, false
	case value.WidthAssumed(t.Dtype): // an address is counted in elements of the same width: where it begins is known
		return protocol.Range{Lo: at(first), Hi: memory.LaneBytes}, false
	}
	if exact, whole, ok := m.exactColumns(t); ok && at(first+value.Int(exact.Hi)) <= memory.LaneBytes {
		r.Lo, r.Hi = at(first+value.Int(exact.Lo)), at(first+value.Int(exact.Hi))
		return r, whole && !t.Maybe && !t.Lost && (!t.Split || !t.Part && !t.Picked)
	}
	span, ok1 := m.settle(t.Span).(value.Int)
	stages, ok2 := m.settle(t.Stages).(value.Int)
	from, n := first, span*stages
	if s, known := m.settle(t.Stage).(value.Int); ok1 && known && !t.Lost && s >= 0 && (!ok2 || s < stages) {
		from, n = first+s*span, span
	} else if t.Stage != nil || t.Lost {
		t = &cute.Tensor{Part: true}
	}
	if at(from) >= memory.LaneBytes {
		return r, false
	}
	if r.Lo = at(from); !ok1 || !ok2 && n != span || at(from+n) > memory.LaneBytes {
		return r, false
	}
	r.Hi = at(from + n)
	return r, !t.Part && !t.Picked && !t.Maybe
}

// exactColumns are the elements of a lane that a view has by its layout, counted from where it was cut from, and whether it has all
// of them.
func (m *machine) exactColumns(t *cute.Tensor) (at protocol.Range, whole, ok bool) {
	if t.Layout == nil {
		return at, false, false
	}
	l := t.InTile()
	ahead, known := m.settle(value.FirstOf(t.Ahead, value.Int(0))).(value.Int)
	span, whole, ok := memory.AcrossColumns(m.settleAll(l.Shape), m.settleAll(l.Stride))
	if !known || !ok || ahead < 0 {
		return at, false, false
	}
	ahead %= memory.LaneStep
	return protocol.Range{Lo: int(ahead), Hi: int(int64(ahead) + span)}, whole, true
}

// columnAccess is an access of a view by an engine, which reaches all lanes, in the tensor memory of a CTA.
func (m *machine) columnAccess(t *cute.Tensor, write bool, cta int64, n program.Node, verb string) []protocol.Access {
	r, all := m.columnsOf(t)
	return m.engineRange(r, all, write, cta, n, verb)
}

func (m *machine) engineRange(r protocol.Range, all, write bool, cta int64, n program.Node, verb string) (out []protocol.Access) {
	for q := range memory.Quarters {
		out = append(out, m.ofColumns(protocol.Access{Write: write, Elements: []protocol.Range{memory.InQuarter(q, r)}}, r, all, cta, n, verb))
	}
	return out
}

// warpColumns is an access of a view by the warp of the group.
func (m *machine) warpColumns(t *cute.Tensor, write, all bool, n program.Node, verb string) protocol.Access {
	r, whole := m.columnsOf(t)
	return m.warpRange(r, whole && all, write, n, verb)
}

func (m *machine) warpRange(r protocol.Range, all, write bool, n program.Node, verb string) protocol.Access {
	a := protocol.Access{Write: write, Elements: make([]protocol.Range, len(m.threads))}
	for i, thread := range m.threads {
		if thread%32 == 0 {
			a.Elements[i] = memory.InQuarter(int(thread/32%memory.Quarters), r)
		}
	}
	return m.ofColumns(a, r, all, m.cta, n, verb)
}

// ofColumns completes an access of columns.
func (m *machine) ofColumns(a protocol.Access, r protocol.Range, all bool, cta int64, n program.Node, verb string) protocol.Access {
	a.Buffer, a.Maybe = m.in.buffer(m.columns(), int(cta)), m.sampling
	if !all {
		a.Parts = protocol.Somewhere
		verb += " part of"
	}
	name := fmt.Sprintf("columns %d to %d", r.Lo/4, (r.Hi+3)/4-1)
	if m.in.ctas > 1 {
		name += fmt.Sprintf(" of CTA %d", cta)
	}
	a.Site = m.site(n.Where(), "%s %s", verb, name)
	return a
}

// untilCommit adds an access of a multiplication, which goes on until a commit covers it.
func (m *machine) untilCommit(list []protocol.Access, q *queued) {
	q.touched = append(q.touched, list...)
	for _, a := range list {
		a.Async = true
		if !slices.ContainsFunc(m.reading, a.Equal) {
			m.reading = append(m.reading, a)
			m.record(a, m.in.buffers[a.Buffer].Name)
		}
	}
}

// settleColumns puts what multiplications do to tensor memory into the commits that those wait for who access these columns
// next. A multiplication is over when any commit behind it has arrived (PTX ISA 9.7.16.12.1), so as part of any of them it
// lasts too long, never too short.
func (in *instance) settleColumns(groups []*machine) {
	arrived := map[int]bool{}
	for _, m := range groups {
		for i := range m.ops {
			if memory.Commits(&m.ops[i], nil) {
				for _, e := range m.ops[i].Effects {
					arrived[e.Mbar] = true
				}
			}
		}
	}
	var uses []memory.ColumnUse
	for _, m := range groups {
		uses = in.columnUses(uses, m, arrived)
	}
	for _, m := range groups {
		m.moveColumns(uses)
	}
}

func (in *instance) columnUses(uses []memory.ColumnUse, m *machine, arrived map[int]bool) []memory.ColumnUse {
	var waited []int
	used := false
	for l, list := range m.blocks {
		if l > 0 && m.ops[l-1].Kind == protocol.Wait && arrived[m.ops[l-1].Object] {
			if used {
				waited, used = nil, false
			}
			waited = append(waited[:len(waited):len(waited)], m.ops[l-1].Object)
		}
		for _, a := range list {
			if !in.isColumns(a.Buffer) || a.Async && !a.Pending {
				continue
			}
			used = true
			u := memory.ColumnUse{Access: a, Mbars: waited}
			if !slices.ContainsFunc(uses, func(o memory.ColumnUse) bool { return slices.Equal(o.Mbars, u.Mbars) && o.Equal(u.Access) }) {
				uses = append(uses, u)
			}
		}
	}
	return uses
}

// moveColumns moves what the group's multiplications do to columns to the next commit that somebody waits for who uses
// them.
func (m *machine) moveColumns(uses []memory.ColumnUse) {
	moved, spread := map[int][]protocol.Access{}, build.Spread{}
	for i := range m.ops {
		if !memory.Commits(&m.ops[i], nil) {
			continue
		}
		m.ops[i].Access = slices.DeleteFunc(slices.Clone(m.ops[i].Access), func(a protocol.Access) bool {
			if !m.in.isColumns(a.Buffer) {
				return false
			}
			to := m.anyCommit(i, memory.AwaitedFor(uses, a))
			if to <= i {
				return false
			}
			spread.Add(a, i+1, to)
			moved[to] = with(moved[to], a)
			return true
		})
	}
	spread.Into(m.blocks)
	for to, list := range moved {
		for _, a := range list {
			m.ops[to].Access = with(m.ops[to].Access, a)
		}
	}
}

// columnsAhead is find_tmem_tensor_col_offset(tensor): how many columns it takes.
func (m *machine) columnsAhead(v value.Value) value.Value {
	t, ok := v.(*cute.Tensor)
	if !ok {
		return value.Data{}
	}
	if !t.Block.InColumns() && t.Layout != nil { // the host side has no memory
		t = m.columnTensor(value.Pointer{Block: &value.Block{Name: value.TensorColumns}, Offset: value.Int(0), Elem: t.Dtype}, t.Shape, t.Layout)
	}
	bits := value.BitsOf(value.FirstOf(t.Dtype, value.Data{}))
	if !t.Block.InColumns() || bits == 0 || value.WidthAssumed(t.Dtype) || t.Lost || t.Adrift || t.Stage != nil {
		return value.Data{}
	}
	return cute.CeilDiv(value.Binary("*", value.Binary("*", t.Span, t.Stages), value.Int(bits)), value.Int(32))
}

// addressOf is the number that an allocation writes to shared memory: of the one that is followed, the first column.
const addressOf = "address of tensor memory"

// told is what is known of a place that an allocation writes its address to.
type told int

const (
	toldAddress told = iota + 1
	toldReaders      // somebody reads it, so stores to it are looked at from the start
	toldMore         // it holds something else at times
)

// tellsAddress notes that an allocation writes its address to a place.
func (m *machine) tellsAddress(p value.Pointer, n program.Node) {
	at, ok := m.placeOf(p, n)
	if ok {
		m.send(at, value.Data{})
	}
	if ok && m.in.low.addressed[at.Spot()] == 0 {
		m.in.low.addressed[at.Spot()] = toldAddress
		if m.in.valued[at.B.Name] {
			panic(restart{})
		}
	}
}

// tellsMore notes that something else is stored to a place.
func (m *machine) tellsMore(at memory.Spot) {
	if was := m.in.low.addressed[at]; was != 0 {
		if m.in.low.addressed[at] = toldMore; was == toldReaders {
			panic(restart{})
		}
	}
}

// blurs notes that a block is written at places that are not known.
func (m *machine) blurs(b *value.Block) {
	m.in.vague[b.Name] = true
	for at := range m.in.low.addressed {
		if at.Block == b.Name {
			m.tellsMore(at)
		}
	}
}

// addressIn is what the group reads where the values of memory are not followed: an unknown with one value where nothing but an
// allocation writes.
func (m *machine) addressIn(at memory.Place, n program.Node) value.Value {
	switch is := m.in.low.addressed[at.Spot()]; {
	case is == toldAddress:
		m.in.low.addressed[at.Spot()] = toldReaders
		panic(restart{})
	case is != toldReaders:
		return value.Data{}
	}
	m.in.low.domains[addressOf] = []int64{0}
	v := value.Atom(addressOf)
	m.count(v, n, "the address of tensor memory")
	return v
}

// addressedColumns is a view of tensor memory at an address, which has the lane in its upper 16 bits.
func (m *machine) addressedColumns(at, dtype value.Value) value.Value {
	p, ok := m.columnPointer(dtype).(value.Pointer)
	if !ok {
		return value.Data{}
	}
	if o, ok := at.(*value.Object); ok {
		at = value.FirstOf(o.Fields["value"], value.Data{})
	}
	p.Offset = value.Binary("*", value.Binary("&", value.Untyped(at), value.Int(memory.LaneStep-1)), value.Int(4))
	return p
}
