package exec

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
)

// allocation is columns of tensor memory that a CTA has been given (PTX ISA 9.7.16.7).
type allocation struct {
	base, count int
	at          order.Point
	rest        bool // of one that some columns were given back of
}

// columns is the tensor memory of a CTA.
type columns struct {
	given []allocation
	seen  bool                  // there was one; else columns come from where it is not followed: cta_group::2
	over  bool                  // no more is given
	used  [order.Columns]uint32 // 1 + place of the command that gave a column back last; 0: it was never given
}

// Tensor memory has addresses with the lane in the upper and the column in the lower half (PTX ISA 9.7.16.1.1).
const columnBits = 16

// tensor executes an operation on tensor memory, or of the tensor core. Loads, stores and allocations are of whole warps: the front
// end has their lanes meet before.
func (w *warp) tensor(f *fragment, in *ir.Inst, mask uint32) outcome {
	w.m.assume("fences of wgmma and tcgen05, and of the asynchronous proxy, stand where these need them")
	switch in.Op {
	case ir.TensorAlloc:
		if why := w.allocate(in, mask); why.Code != 0 {
			return w.halt(f, why)
		}
	case ir.TensorDealloc:
		if why := w.deallocate(in, mask); why.Code != 0 {
			return w.halt(f, why)
		}
	case ir.TensorRelinquish:
		w.cta.columns.over = true
	case ir.TensorLoad, ir.TensorStore:
		w.transfer(in, mask)
	case ir.WarpgroupMultiply:
		w.multiplyTogether(in, mask)
	default:
		for rest := mask; rest != 0; rest &= rest - 1 {
			l := trailing(rest)
			if in.Op == ir.TensorCopy {
				w.copyToTensor(in, l)
			} else {
				w.multiply(in, l)
			}
		}
	}
	return next
}

// here is the last command, of the first lane of a mask.
func (w *warp) here(in *ir.Inst, mask uint32) order.Point {
	return order.Point{Warp: slices.Index(w.m.warps, w), Index: max(len(w.out.Commands)-1, 0), Lane: trailing(mask), Place: in.Place}
}

// allocate gives a warp the first columns that are free, those that nobody had before others. It says what cannot be followed.
func (w *warp) allocate(in *ir.Inst, mask uint32) limit.Reason {
	v := w.read(in.B)
	n, ok := v.alike(mask)
	if !ok {
		return limit.DataOperand.Says("the number of columns depends on data")
	}
	if n < 32 || n > order.Columns || n&(n-1) != 0 {
		return limit.Undefined.Sayf("%d columns of tensor memory, expected a power of two from 32 to 512 (PTX ISA 9.7.16.7.1)", n)
	}
	at, sp := w.address(in, in.A, in.Offset, mask)
	sym, to := at.lane(trailing(mask))
	target, ok := w.target(to)
	if sp != ir.Shared || sym != known || !ok {
		return limit.DataAddress.Says("where the address of the columns goes depends on data")
	}
	t := &w.cta.columns
	if t.over {
		w.out.Joint(order.WarpMeet, in.Place, mask, 0)
		w.m.fault(order.Lifetime, w.here(in, mask), "columns of tensor memory are asked for behind tcgen05.relinquish_alloc_permit (PTX ISA 9.7.16.7.1)")
	}
	base, ok := t.free(int(n))
	if !ok {
		return limit.Operation.Sayf("%d columns of tensor memory are not free, and until when it waits is not followed", n)
	}
	for k := base; k < base+int(n); k++ {
		if t.used[k] > 0 { // the allocator orders the two (PTX ISA 9.7.16.7.1)
			w.m.doubt(t.used[k]-1, Halt{Why: limit.Harmless.Says("columns that were given back are allocated again, and the allocator orders the two")})
		}
	}
	first := mask & -mask
	w.out.Write(in.Place, first, order.Address{Base: target, Size: 4}, order.Value{Form: 4, Base: int64(base)}, 0)
	if w.m.kernel.Tracked {
		w.m.ctas[target>>ir.RankBits].memory.keep(target&ir.OffsetMask, 4, cell{v: int64(base), sym: known, size: 4})
	}
	t.seen = true
	t.given = append(t.given, allocation{base: base, count: int(n), at: w.here(in, first)})
	w.m.assume("columns of tensor memory are given out from the first on")
	return limit.Reason{}
}

// free finds columns, aligned to their number.
func (t *columns) free(n int) (base int, ok bool) {
	for _, fresh := range []bool{true, false} {
		for base = 0; base+n <= order.Columns; base += n {
			fits := true
			for k := base; k < base+n; k++ {
				fits = fits && t.owner(k) < 0 && (t.used[k] == 0 || !fresh)
			}
			if fits {
				return base, true
			}
		}
	}
	return 0, false
}

// owner is the allocation that a column is in; -1 for none.
func (t *columns) owner(column int) int {
	return slices.IndexFunc(t.given, func(a allocation) bool { return column >= a.base && column < a.base+a.count })
}

// deallocate gives columns back: to others that is as if it wrote them.
func (w *warp) deallocate(in *ir.Inst, mask uint32) limit.Reason {
	v, count := w.read(in.A), w.read(in.B)
	at, ok1 := v.alike(mask)
	n, ok2 := count.alike(mask)
	if !ok1 || !ok2 {
		return limit.DataOperand.Says("which columns are given back depends on data")
	}
	t := &w.cta.columns
	base := int(uint32(at))
	k := slices.IndexFunc(t.given, func(a allocation) bool { return a.base == base && a.count == int(n) })
	size := uint32(0)
	if n > 0 && base+int(n) <= order.Columns {
		size = uint32(n) * order.ColumnBytes
	}
	if !t.seen {
		return limit.Operation.Says("it gives back columns whose allocation is not followed")
	}
	first := k < 0 && size > 0 && slices.ContainsFunc(t.given, func(a allocation) bool { return a.base == base && a.count > int(n) && !a.rest }) // of an allocation: the others are still to give back
	if !first && (k < 0 || t.given[k].rest) {
		owned, free := 0, -1
		for c := base; size > 0 && c < base+int(n); c++ {
			if t.owner(c) >= 0 {
				owned++
			} else if free < 0 {
				free = c
			}
		}
		if owned > 0 && free < 0 {
			return limit.Operation.Says("it gives back columns that are not one allocation, which is not modelled")
		}
		said := "and are not allocated"
		if owned > 0 { // those that are, nobody has any more
			said = fmt.Sprintf("of which %d is not allocated", free)
			t.given = slices.DeleteFunc(t.given, func(a allocation) bool { return a.base >= base && a.base+a.count <= base+int(n) })
		}
		w.out.Joint(order.WarpMeet, in.Place, mask, 0)
		w.m.fault(order.Lifetime, w.here(in, mask), fmt.Sprintf("columns %d to %d of tensor memory are given back, %s", base, base+int(n)-1, said))
		return limit.Reason{}
	}
	for q := 0; q < order.TensorLanes; q += ir.Lanes {
		flags := order.Flags(0)
		if q > 0 {
			flags = order.Same
		}
		w.out.Write(in.Place, mask, order.Address{Base: order.TensorMemory(w.cta.rank, q, base), Stride: order.LaneBytes, Size: size}, order.Value{}, flags)
	}
	for c := base; c < base+int(n); c++ {
		t.used[c] = in.Place + 1
	}
	if first {
		a := &t.given[t.owner(base)]
		a.base, a.count, a.at, a.rest = base+int(n), a.count-int(n), w.here(in, mask), true
		return limit.Reason{}
	}
	t.given = slices.Delete(t.given, k, k+1)
	return limit.Reason{}
}

// keptColumns faults what is not given back at the end (PTX ISA 9.7.16.7.1: a kernel must give all of it back).
func (m *machine) keptColumns() {
	for _, c := range m.ctas {
		for _, a := range c.columns.given {
			m.fault(order.Lifetime, a.at, fmt.Sprintf("columns %d to %d of tensor memory are still allocated when the CTA ends; expected a tcgen05.dealloc", a.base, a.base+a.count-1))
		}
	}
}

// tensorAddress is a lane's address in tensor memory.
func (w *warp) tensorAddress(o ir.Operand, offset int64, l int) (lane, column int, ok bool) {
	s, n := w.lane(o, l)
	n = int64(uint32(n + offset))
	return int(n >> columnBits), int(n & (1<<columnBits - 1)), s == known
}

// allocated faults the last command if columns that it uses are not allocated.
func (w *warp) allocated(in *ir.Inst, l, column, n int) {
	if !w.cta.columns.seen {
		w.miss(in, limit.Access.Says("the allocation of the columns is not followed"))
		return
	}
	for k := column; k < column+n; k++ {
		if k >= order.Columns || w.cta.columns.owner(k) < 0 {
			w.m.fault(order.Lifetime, w.here(in, 1<<l), fmt.Sprintf("column %d of tensor memory is used and is not allocated", k))
			return
		}
	}
}

// transfer executes tcgen05.ld and tcgen05.st (PTX ISA 9.7.16.8): each warp has a quarter of the lanes, and its lanes access them
// as the shape says. Of the shapes with 16 lanes each two threads have one; which parts of it is not told apart but for 16x32bx2, where
// the upper half of the warp has columns further behind.
func (w *warp) transfer(in *ir.Inst, mask uint32) {
	first := trailing(mask)
	lane, column, ok := w.tensorAddress(in.A, in.Offset, first)
	for rest := mask; ok && rest != 0; rest &= rest - 1 {
		m, c, same := w.tensorAddress(in.A, in.Offset, trailing(rest))
		ok = same && m == lane && c == column
	}
	if !ok {
		w.miss(in, limit.DataAddress.Says("the address in tensor memory depends on data, or lanes have different ones"))
		return
	}
	n, behind := int(in.Size), 0
	if in.B != ir.None {
		s, b := w.lane(in.B, first)
		if s != known || b < 0 || b >= order.Columns {
			w.miss(in, limit.DataAddress.Says("how far the two halves are apart depends on data"))
			return
		}
		behind = int(b)
	}
	half := in.Mode != 0 // 16 lanes
	quarter := w.index % 4 * ir.Lanes
	if lane != quarter && !(half && lane == quarter+16) {
		w.miss(in, limit.Undefined.Sayf("warp %d accesses lane %d of tensor memory, expected its own lanes from %d on (PTX ISA 9.7.16.8.1)", w.index, lane, quarter))
		return
	}
	w.m.assume("%warpid is the number of the warp in its CTA")
	c := order.Copy{Unit: order.TensorLoads}
	write := in.Op == ir.TensorStore
	if write {
		c.Unit = order.TensorStores
	}
	issue := func(lanes uint32, spans ...order.Address) {
		if lanes &= mask; lanes == 0 {
			return
		}
		c.Accesses = nil
		for _, a := range spans {
			c.Accesses = append(c.Accesses, order.Span{Address: a, Write: write})
		}
		w.out.Issue(in.Place, lanes, c)
	}
	span := func(lane, column, n int, stride int32) order.Address {
		return order.Address{Base: order.TensorMemory(w.cta.rank, lane, column), Stride: stride, Size: uint32(n) * order.ColumnBytes}
	}
	if column+n+behind > order.Columns { // there is no such memory
		w.out.Issue(in.Place, mask, c)
		w.allocated(in, first, column, n+behind)
		return
	}
	const all, lower, even = ^uint32(0), 1<<16 - 1, 0x55555555
	switch {
	case in.Mode == halves:
		issue(lower, span(lane, column, n, order.LaneBytes))
		issue(all&^lower, span(lane-16, column+behind, n, order.LaneBytes))
	case !half:
		issue(all, span(lane, column, n, order.LaneBytes))
	case !write:
		var spans []order.Address
		for k := range 16 {
			spans = append(spans, span(lane+k, column, n, 0))
		}
		issue(all, spans...)
	default:
		upper := span(lane, column+n/2, n-n/2, order.LaneBytes/2)
		upper.Base -= order.LaneBytes / 2
		issue(even, span(lane, column, n/2, order.LaneBytes/2))
		issue(all&^even, upper)
	}
	w.allocated(in, first, column, n)
	w.allocated(in, first, column+behind, n)
}

// halves is the shape 16x32bx2.
const halves = 4

// tensorRows adds accesses of lanes of tensor memory.
func (w *warp) tensorRows(c *order.Copy, write bool, column, n int, lanes ...int) {
	for _, lane := range lanes {
		c.Accesses = append(c.Accesses, order.Span{Address: order.Address{Base: order.TensorMemory(w.cta.rank, lane, column), Size: uint32(n) * order.ColumnBytes}, Write: write})
	}
}

// copyToTensor is tcgen05.cp (PTX ISA 9.7.16.9): all shapes that are followed come to all lanes.
func (w *warp) copyToTensor(in *ir.Inst, l int) {
	lane, column, ok := w.tensorAddress(in.A, in.Offset, l)
	n := map[string]int{"128x256b": 8, "128x128b": 4, "64x128b": 4, "32x128b": 4}[in.Named()]
	w.miss(in, limit.Access.Says("where it reads shared memory is not followed"))
	if !ok || n == 0 || lane != 0 || column+n > order.Columns {
		w.miss(in, limit.Access.Says("where it writes tensor memory is not followed"))
		return
	}
	c := order.Copy{Unit: order.Tensor, Feeds: true}
	w.tensorRows(&c, true, column, n, fullRows...)
	w.out.Issue(in.Place, 1<<l, c)
	w.allocated(in, l, column, n)
}

// Rows of a matrix in tensor memory: of 128 all lanes, of 64 the lower or the upper half of each warp's (PTX ISA 9.7.16.10.5,
// layouts D and F).
var fullRows, halfRows = func() (full, half []int) {
	for k := range order.TensorLanes {
		full = append(full, k)
		if k%ir.Lanes < 16 {
			half = append(half, k)
		}
	}
	return
}()
