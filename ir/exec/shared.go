package exec

import (
	"slices"

	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
)

// shared executes an access of shared memory.
func (w *warp) shared(in *ir.Inst, at value, mask, open uint32) {
	if in.Op == ir.Matrix { // the first lanes give the addresses
		mask &= 1<<in.Mode - 1
		open &= 1<<in.Mode - 1
	}
	both := mask | open
	if open != 0 {
		guarded := in
		if w.passing != nil {
			guarded = w.passing
		}
		w.doubtGuarded(in.Place, guarded, w.passing == nil, w.offered)
	}
	if open == 0 && w.passing == nil {
		w.round = order.Sure
	}
	w.emit(in, at, both)
	if w.passing == nil {
		w.round = 0
	}
	if in.Op == ir.Store {
		if w.m.kernel.Tracked {
			w.keep(in, at, mask, open)
		}
		return
	}
	if in.Op == ir.Atomic || in.Op == ir.Matrix || !w.m.kernel.Tracked || w.m.awaits(in) {
		if w.m.kernel.Tracked && (in.Op == ir.Atomic || in.Flags&ir.Write != 0) {
			w.keep(in, at, 0, both)
		}
		if in.Op == ir.Load && w.m.kernel.Data {
			w.found(in, at, mask, open)
			return
		}
		w.loaded(in, &top, mask, open)
		return
	}
	if w.m.kernel.Data && w.forgotten(in, at) {
		w.found(in, at, mask, open)
		return
	}
	for k := 0; k <= len(in.Dests()); k++ {
		v := w.held(in, at, int64(k))
		d := in.D
		if k > 0 {
			d = in.Extra.Dests[k-1]
		}
		if d >= 0 {
			w.set(d, &v, mask, open)
		}
	}
}

// awaits reports whether a load of shared memory is that of a loop that waits for what others write there. What is there before they do is not what the loop finds in the end.
func (m *machine) awaits(in *ir.Inst) bool {
	if !in.Strong() {
		return false
	}
	m.polling.Do(func() {
		m.polls = map[*ir.Inst]bool{}
		for n := range m.kernel.Polls() {
			if m.kernel.WaitsInside(n) {
				m.polls[&m.kernel.Insts[n]] = true
			}
		}
	})
	return m.polls[in]
}

// found sets the results of a load to functions of the address. Lanes that run one load together find the same at the same
// address, unless a write races with them: barriers put every other write before or after all of them. So do warps that run it as the same one since
// the last barrier of all, where nothing else orders what warps do.
func (w *warp) found(in *ir.Inst, at value, mask, open uint32) {
	when := w.when(in)
	for k := 0; k <= len(in.Dests()); k++ {
		n := computation{op: ir.Load, what: uint32(k), t: in.Type, k: [3]int64{0, when[0], when[1]}}
		n.vary[2] = true // no such operand: tells it from loads of global memory
		sym := w.m.symbols.of(n)
		if w.m.vague && sym != unknown {
			w.m.symbols.hide(sym)
		}
		v := at
		if at.spread == nil {
			v.sym = sym
		} else {
			s := &w.merged
			*s = *at.spread
			for l := range s.sym {
				if s.sym[l] != known {
					sym = unknown
				}
				s.sym[l] = sym
			}
			v = w.settle(s)
		}
		d := in.D
		if k > 0 {
			d = in.Extra.Dests[k-1]
		}
		if at.spread == nil && at.sym != known || sym == unknown {
			v = top
		}
		if d >= 0 {
			w.set(d, &v, mask, open)
		}
	}
}

// when tells loads from each other that may find something else at one address.
func (w *warp) when(in *ir.Inst) [2]int64 {
	if !w.m.called || w.passing != nil {
		return [2]int64{int64(len(w.out.Commands)), int64(w.cta.rank)<<32 | int64(w.index)}
	}
	if w.reads == nil {
		w.reads = map[uint32]uint32{}
	}
	w.reads[in.Place]++
	return [2]int64{w.interval<<32 | int64(w.reads[in.Place]), int64(w.cta.rank)<<32 | 1<<31 | int64(in.Place)}
}

// emit appends an access to the warp's program: one command where the lanes' addresses are affine, else one for each
// stretch of lanes that are.
func (w *warp) emit(in *ir.Inst, at value, mask uint32) {
	if at.spread == nil {
		if at.sym != known {
			w.anywhere(in, mask)
			return
		}
		first, ok1 := w.target(at.base)
		last, ok2 := w.target(at.base + (ir.Lanes-1)*at.stride)
		if ok1 && ok2 && int64(int32(at.stride)) == at.stride && first>>ir.RankBits == last>>ir.RankBits &&
			int64(last)-int64(first) == (ir.Lanes-1)*at.stride {
			w.append(in, mask, order.Address{Base: first, Stride: int32(at.stride), Size: in.Size}, 0)
			return
		}
	}
	var same order.Flags
	for rest := mask; rest != 0; {
		l := trailing(rest)
		sym, n := at.lane(l)
		base, ok := w.target(n)
		if sym != known || !ok {
			if sym == known {
				w.lose(in, limit.Undefined.Says("the address is none of shared memory"), true)
				rest &^= 1 << l
				continue
			}
			open := uint32(0)
			for left := rest; left != 0; left &= left - 1 {
				if s, _ := at.lane(trailing(left)); s != known {
					open |= 1 << trailing(left)
				}
			}
			w.anywhere(in, open)
			rest &^= open
			continue
		}
		run, stride := uint32(1)<<l, int64(0)
		for k := l + 1; k < ir.Lanes && mask>>k&1 != 0; k++ {
			s, x := at.lane(k)
			b, ok := w.target(x)
			if s != known || !ok || b>>ir.RankBits != base>>ir.RankBits {
				break
			}
			if k == l+1 {
				stride = int64(b) - int64(base)
			} else if int64(b)-int64(base) != int64(k-l)*stride {
				break
			}
			run |= 1 << k
		}
		w.append(in, run, order.Address{Base: base - uint32(int64(l)*stride), Stride: int32(stride), Size: in.Size}, same)
		same = order.Same
		rest &^= run
	}
}

var dataAddress = limit.DataAddress.Says("the address depends on data")

// maxDynamic is how much shared memory a CTA has at most (CUDA C++ Programming Guide, compute capabilities): where dynamic arrays end.
const maxDynamic = 227 << 10

// array is where an array begins, as the lanes have it, and its bytes.
type array struct {
	at   value
	size uint32
}

// placeIn remembers what array the sum that an instruction computes leads into.
func (w *warp) placeIn(in *ir.Inst) {
	if w.arrays == nil {
		w.arrays = map[int32]array{}
	}
	at := w.read(in.A)
	if at.spread != nil {
		own := *at.spread
		at.spread = &own
	}
	w.arrays[in.D] = array{at, in.Size}
}

// inArray appends an access whose address is not known but for the array that it leads into: of a row of an array of arrays, say, it may be of all. It reports false where that is not known of all lanes.
func (w *warp) inArray(in *ir.Inst, of *ir.Variable, mask uint32) bool {
	a, is := w.arrays[in.A.Reg]
	if in.A.Reg < 0 || !is {
		return false
	}
	first := map[uint32]uint32{} // lanes by where their arrays begin
	var starts []uint32
	for rest := mask; rest != 0; rest &= rest - 1 {
		l := trailing(rest)
		sym, n := a.at.lane(l)
		base, ok := w.target(n)
		if sym != known || !ok || n < of.At || of.Size >= 0 && n+int64(a.size) > of.At+of.Size {
			return false
		}
		if first[base] == 0 {
			starts = append(starts, base)
		}
		first[base] |= 1 << l
	}
	var same order.Flags
	for _, base := range starts {
		w.whatever(in, first[base], order.Address{Base: base, Size: a.size}, same)
		same = order.Same
	}
	return true
}

// whatever appends an access of any of the bytes at an address.
func (w *warp) whatever(in *ir.Inst, mask uint32, at order.Address, same order.Flags) {
	switch {
	case in.Op == ir.Atomic:
		w.out.Atomic(in.Place, mask, at, same)
	case in.Op == ir.Store:
		w.out.Write(in.Place, mask, at, order.Value{}, same)
	default:
		w.out.Read(in.Place, mask, at, same)
	}
}

// anywhere appends an access whose address is not known but for the arrays it is in: it may be of all they have. That shows that nothing races with
// it; of a race with it, it is not known whether there is one: data may choose it, but not beyond an array within the object, of which the text need not say anything.
func (w *warp) anywhere(in *ir.Inst, mask uint32) {
	all := w.m.kernel.ObjectsOf(in)
	if len(all) == 0 || in.Op == ir.Matrix {
		w.miss(in, dataAddress)
		return
	}
	names, memory := w.m.open(in)
	if w.offered != "" {
		names = append(names, w.offered)
	}
	w.m.doubt(in.Place, Halt{Why: dataAddress, Inputs: names, Memory: memory, Index: len(all) == 1 && (w.m.kernel.Rows || w.m.kernel.ChosenByData(in))})
	if w.passing != nil { // how often it is passed may decide where it is
		w.doubtGuarded(in.Place, w.passing, false, w.offered)
	}
	w.m.assume("indices of shared arrays that depend on data are within these")
	maps := w.m.kernel.Mapped(in.A)
	if len(maps) == 0 && len(all) == 1 && w.inArray(in, all[0], mask) {
		return
	}
	var same order.Flags
	for _, c := range w.mappedTo(maps, mask) {
		for _, v := range all {
			size := v.Size
			if size < 0 {
				size = maxDynamic - v.At%maxDynamic
			}
			w.whatever(in, mask, order.Address{Base: order.Shared(c.rank, uint32(v.At)), Size: uint32(size)}, same)
			same = order.Same
		}
	}
}

// mappedTo are the CTAs whose shared memory an address may be of that some instructions have mapped: all of the cluster where which one is asked for is not known.
func (w *warp) mappedTo(maps []int32, mask uint32) []*cta {
	if len(maps) == 0 || len(w.m.ctas) == 1 {
		return []*cta{w.cta}
	}
	var out []*cta
	for _, k := range maps {
		of := w.m.kernel.Insts[k].B
		if sets := w.m.kernel.SetsOf(max(of.Reg, 0)); of.Reg >= 0 && (len(sets) > 1 || len(sets) == 1 && w.passing != nil && slices.Contains(w.m.kernel.RegionOf(w.passes).Insts, sets[0])) {
			return w.m.ctas
		}
		v := w.read(of)
		for rest := mask; rest != 0; rest &= rest - 1 {
			sym, rank := v.lane(trailing(rest))
			if sym != known || rank < 0 || rank >= int64(len(w.m.ctas)) {
				return w.m.ctas
			}
			if c := w.m.ctas[rank]; !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	return out
}

// append adds one command of an access.
func (w *warp) append(in *ir.Inst, mask uint32, at order.Address, same order.Flags) {
	same |= w.round
	if in.Op != ir.Load && (in.Op != ir.Matrix || in.Flags&ir.Write != 0) {
		w.overwrites(in, mask, at)
	}
	switch {
	case in.Op == ir.Atomic:
		w.out.Atomic(in.Place, mask, at, same)
	case in.Op == ir.Store:
		v := w.written(in, mask)
		if v == (order.Value{}) && w.m.kernel.Data && mask&(mask-1) != 0 {
			for rest := mask; rest != 0; rest &= rest - 1 {
				one := uint32(1) << trailing(rest)
				w.out.Write(in.Place, one, at, w.written(in, one), same)
				same |= order.Same
			}
			return
		}
		w.out.Write(in.Place, mask, at, v, same)
	case in.Flags&ir.Write != 0:
		w.out.Write(in.Place, mask, at, order.Value{}, same)
	default:
		w.out.Read(in.Place, mask, at, same)
	}
}

// written is what a store writes, where the lanes of the mask have it by one function of an affine argument.
func (w *warp) written(in *ir.Inst, mask uint32) order.Value {
	v := w.read(in.B)
	if in.Extra != nil {
		v = w.whole(in, v)
	} else if in.Size > 8 {
		return order.Value{}
	}
	if v.spread != nil {
		var ok bool
		if v, ok = v.spread.compress(mask); !ok {
			return order.Value{}
		}
	}
	switch {
	case v.sym == unknown:
		return order.Value{}
	case v.sym != known:
		return order.Value{Form: v.sym, Base: v.base, Stride: v.stride}
	case v.stride == 0:
		return order.Value{Form: in.Size, Base: ir.Type{Bits: in.Type.Bits}.Bring(v.base)}
	}
	return order.Value{Form: in.Size, Base: v.base, Stride: v.stride}
}

// whole is the value of a vector that is written, made of its parts.
func (w *warp) whole(in *ir.Inst, v value) value {
	for k, o := range in.Extra.Operands {
		v = w.combineAll(computation{op: ir.Pack, what: uint32(k)}, &w.merged, v, w.read(o), value{})
	}
	return v
}

// keep remembers what a store wrote to shared memory.
func (w *warp) keep(in *ir.Inst, at value, mask, open uint32) {
	v := w.read(in.B)
	for l := 0; l < ir.Lanes; l++ {
		if (mask|open)>>l&1 == 0 {
			continue
		}
		sym, n := at.lane(l)
		base, ok := w.target(n)
		if sym != known || !ok {
			w.m.forgetShared()
			continue
		}
		c := cell{sym: unknown}
		if in.Extra == nil && in.Size <= 8 && mask>>l&1 != 0 && in.Op == ir.Store {
			c.size = uint8(in.Size)
			c.sym, c.v = v.lane(l)
		}
		w.m.ctas[base>>ir.RankBits].memory.keep(base&ir.OffsetMask, in.Size, c)
		if in.Op == ir.Store && in.Extra != nil && mask>>l&1 != 0 {
			w.keepParts(in, base, l)
		}
	}
}

// keepParts remembers the parts of a vector.
func (w *warp) keepParts(in *ir.Inst, base uint32, l int) {
	part := in.Size / uint32(len(in.Extra.Operands)+1)
	for k := 0; k <= len(in.Extra.Operands) && part <= 8; k++ {
		o := in.B
		if k > 0 {
			o = in.Extra.Operands[k-1]
		}
		v := w.read(o)
		c := cell{size: uint8(part)}
		c.sym, c.v = v.lane(l)
		w.m.ctas[base>>ir.RankBits].memory.keep(base&ir.OffsetMask+uint32(k)*part, part, c)
	}
}

// held is what part k of a load from shared memory finds.
func (w *warp) held(in *ir.Inst, at value, k int64) value {
	part := int64(in.Size) / int64(len(in.Dests())+1)
	s := &w.merged
	for l := range s.v {
		s.sym[l], s.v[l] = unknown, 0
		sym, n := at.lane(l)
		base, ok := w.target(n + k*part)
		if sym != known || !ok {
			continue
		}
		if held := w.m.ctas[base>>ir.RankBits].memory.at(base & ir.OffsetMask); int64(held.size) == part {
			if s.sym[l] = held.sym; held.sym == known {
				held.v = in.Type.Convert(held.v)
			}
			s.v[l] = held.v
		}
	}
	return w.settle(s)
}

// forgotten reports whether nothing is known of what a load from shared memory finds.
func (w *warp) forgotten(in *ir.Inst, at value) bool {
	for k := range len(in.Dests()) + 1 {
		if v := w.held(in, at, int64(k)); v.spread != nil || v.sym != unknown {
			return false
		}
	}
	return true
}

// forgetShared forgets all of shared memory: something was written, no one knows where.
func (m *machine) forgetShared() {
	if !m.kernel.Tracked {
		return
	}
	for _, c := range m.ctas {
		c.memory.forget()
	}
}
