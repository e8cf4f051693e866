package exec

import (
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
)

// widest is how far apart two parts of memory may start and still have a byte in common.
const widest = 32

// cell is what shared memory holds from a byte on.
type cell struct {
	v    int64
	sym  symbol
	size uint8
}

// local is what a warp's local memory holds from an address on.
type local struct {
	v    value
	own  spread
	size uint32
}

// address gives the addresses of an access in its state space; a generic one finds its space.
func (w *warp) address(in *ir.Inst, a ir.Operand, offset int64, mask uint32) (value, ir.Space) {
	v := w.read(a)
	switch adds := v.sym == known || v.sym&linear != 0; {
	case offset == 0:
	case v.spread == nil && (adds || v.sym == unknown):
		v.base += offset
	case v.spread == nil && v.stride == 0:
		v = value{sym: w.anchor(v.sym, v.base), base: offset}
	default:
		s := &w.merged
		for l := range s.v {
			if s.sym[l], s.v[l] = v.lane(l); s.sym[l] > unknown && s.sym[l]&linear == 0 {
				s.sym[l], s.v[l] = w.anchor(s.sym[l], s.v[l]), 0
			}
			s.v[l] += offset
		}
		w.scratch = *s
		v = value{spread: &w.scratch}
	}
	sp := in.Space
	if sp != ir.Generic || mask == 0 {
		return v, sp
	}
	sym, n := v.lane(trailing(mask))
	if sym != known {
		if window := n >> ir.WindowBits; w.m.leads[sym] != "" && (window == 0 || window == -1) {
			return v, ir.Global
		}
		if w.m.kernel.FromShared(in) {
			return v, ir.Generic
		}
		return v, ir.Global // and so are the other lanes: nothing of shared memory comes to this register
	}
	window := n >> ir.WindowBits << ir.WindowBits
	if !v.within(window, mask) {
		return v, ir.Generic
	}
	sp = map[int64]ir.Space{ir.SharedWindow: ir.Shared, ir.ConstWindow: ir.Const, ir.LocalWindow: ir.Local}[window]
	if sp == ir.Generic {
		return v, ir.Global
	}
	return w.moved(v, -window), sp
}

// anchor is an address of which nothing is known but that it is one, for distances from it.
func (w *warp) anchor(sym symbol, n int64) symbol {
	if s := w.symbol(computation{op: ir.Nop, s: [3]symbol{sym}, k: [3]int64{n}}); s != unknown {
		return s | linear
	}
	return unknown
}

// within reports whether the lanes of a mask have addresses in one window of the generic address space.
func (v *value) within(start int64, mask uint32) bool {
	for ; mask != 0; mask &= mask - 1 {
		if sym, n := v.lane(trailing(mask)); sym != known || n>>ir.WindowBits<<ir.WindowBits != start {
			return false
		}
	}
	return true
}

// moved adds a constant to the lanes.
func (w *warp) moved(v value, n int64) value {
	if v.spread == nil {
		v.base += n
		return v
	}
	s := &w.scratch
	if v.spread != s {
		*s = *v.spread
	}
	for l := range s.v {
		s.v[l] += n
	}
	return value{spread: s}
}

// memory executes an access.
func (w *warp) memory(in *ir.Inst, mask, open uint32) {
	if in.Op == ir.Outside {
		w.unfollowed(in, mask|open)
		return
	}
	if in.Flags&ir.MayMeet != 0 && !w.partly(mask|open) { // others may be waited for before this
		w.loaded(in, &top, mask, open)
		return
	}
	at, sp := w.address(in, in.A, in.Offset, mask|open)
	if sp == ir.Global && w.m.launch.Global {
		w.globalAccess(in, at, mask, open)
	}
	switch {
	case sp == ir.Shared:
		w.shared(in, at, mask, open)
	case sp == ir.Generic && len(w.m.kernel.Mapped(in.A)) > 0 && len(w.m.kernel.ObjectsOf(in)) > 0 && mask != 0 && open == 0:
		if in.Op != ir.Load {
			w.m.forgetShared()
		}
		w.anywhere(in, mask)
		w.loaded(in, &top, mask, open)
	case sp == ir.Generic:
		w.miss(in, limit.DataAddress.Says("the address depends on data and may be of shared memory"))
		if in.Op != ir.Load {
			w.m.forgetShared()
		}
		w.loaded(in, &top, mask, open)
	case in.Op == ir.Load:
		w.load(in, at, sp, mask, open)
	case in.Op == ir.Store && sp == ir.Local:
		w.storeLocal(in, at, mask, open)
	default:
		v := top
		if sp == ir.Global && w.m.launch.Global && open == 0 && in.Draws() && in.B.Reg != -2 {
			v = w.ticket(in, &at, mask)
		}
		w.loaded(in, &v, mask, open)
	}
}

// unfollowed executes what may do anything to shared memory, and may synchronize.
func (w *warp) unfollowed(in *ir.Inst, mask uint32) {
	clear(w.locals)
	if in.Flags&ir.MayMeet != 0 {
		why := in.Extra.Reason()
		if signals := w.m.counts && why.Code == limit.Operation; signals || !w.partly(mask) { // an operation that is known, and not followed, may be one on an mbarrier
			w.passed(in, mask, why)
			return
		}
		w.unawaited = true
	}
	w.miss(in, in.Extra.Reason())
	w.m.forgetShared()
}

// partly reports whether lanes are a part of a warp, of which others go another way: what they call there waits for nobody, or it would be for ever.
func (w *warp) partly(mask uint32) bool { return mask&w.alive != w.alive }

// loaded sets the results of a load or an atomic; of those that are vectors only the first may be known.
func (w *warp) loaded(in *ir.Inst, v *value, mask, open uint32) {
	if in.Op == ir.Store || in.Op == ir.Matrix {
		return
	}
	if in.D >= 0 {
		w.set(in.D, v, mask, open)
	}
	if in.Extra != nil {
		for _, d := range in.Extra.Dests {
			if d >= 0 {
				w.set(d, &top, mask, open)
			}
		}
	}
}

// load reads memory other than shared: what a pointer of the kernel's leads to is a function of the address.
func (w *warp) load(in *ir.Inst, at value, sp ir.Space, mask, open uint32) {
	var v value
	when := [2]int64{}
	if w.m.launch.Global {
		when = w.when(in)
	}
	switch {
	case sp == ir.Const:
		v = w.constant(in, at)
	case sp == ir.Local:
		v = w.loadLocal(in, at)
	default:
		v = w.global(in, at, 0, when)
	}
	if in.D >= 0 {
		if sp == ir.Local && w.m.kernel.Data { // what is not known of it may be the same
			w.m.symbols.hide(w.freshSymbol(in.D))
		}
		w.set(in.D, &v, mask, open)
	}
	if in.Extra == nil {
		return
	}
	for k, d := range in.Extra.Dests {
		v := top
		if sp == ir.Global {
			v = w.global(in, at, k+1, when)
		}
		if d >= 0 {
			w.set(d, &v, mask, open)
		}
	}
}

// global is what part k of a vector in global memory holds. Where the kernel writes there it is what is found at that time: see found.
func (w *warp) global(in *ir.Inst, at value, k int, when [2]int64) value {
	if at.spread == nil {
		return w.content(in, at, k, when)
	}
	s := &w.scratch
	if at.spread != s {
		*s = *at.spread
	}
	for l := range s.v {
		v := w.content(in, value{base: s.v[l], sym: s.sym[l]}, k, when)
		s.v[l], s.sym[l] = v.base, v.sym
	}
	return w.settle(s)
}

func (w *warp) content(in *ir.Inst, at value, k int, when [2]int64) value {
	if at.sym == known || in.Flags&ir.Changes != 0 {
		return top
	}
	if w.m.symbols.isDirty(at.sym) && w.m.kernel.Overwrites(in) {
		if !w.m.launch.Global || in.Strong() { // else what races with it is told
			return top
		}
		return w.combine(computation{op: ir.Load, what: uint32(k), t: in.Type, k: [3]int64{0, when[0], when[1]}, vary: [3]bool{2: true}}, at)
	}
	v := w.combine(computation{op: ir.Load, what: uint32(k), t: in.Type}, at)
	d := in.D
	if k > 0 {
		d = in.Extra.Dests[k-1]
	}
	return w.word(in, d, v)
}

// constant is what constant memory holds: what the file says, else what the host has put there, the same at all times.
func (w *warp) constant(in *ir.Inst, at value) value {
	if in.Type.Bits > 64 {
		return top
	}
	held := w.symbol(computation{op: ir.Load, what: 1 << 31, t: in.Type})
	s := &w.scratch
	for l := range s.v {
		sym, n := at.lane(l)
		s.sym[l] = unknown
		if sym != known {
			continue
		}
		if v, ok := w.m.kernel.ConstantAt(n, int64(in.Size)); ok && !in.Type.Data {
			s.v[l], s.sym[l] = in.Type.Convert(v), known
		} else if !ok || in.Type.Data {
			s.v[l], s.sym[l] = n, held
		}
	}
	return w.settle(s)
}

func (w *warp) storeLocal(in *ir.Inst, at value, mask, open uint32) {
	if !at.uniform() {
		clear(w.locals)
		return
	}
	for n := at.base - widest; n < at.base+int64(in.Size); n++ {
		if old, ok := w.locals[n]; ok && n+int64(old.size) > at.base && n != at.base {
			delete(w.locals, n)
		}
	}
	if in.Extra != nil || len(w.locals) > 1<<16 {
		delete(w.locals, at.base)
		return
	}
	v := w.read(in.B)
	old, ok := w.locals[at.base]
	if !ok {
		old = &local{v: top}
		if w.locals == nil {
			w.locals = map[int64]*local{}
		}
		w.locals[at.base] = old
	}
	s := &w.merged
	for l := range s.v {
		switch {
		case mask>>l&1 != 0:
			s.sym[l], s.v[l] = v.lane(l)
		case open>>l&1 != 0 || old.size != in.Size:
			s.sym[l], s.v[l] = unknown, 0
		default:
			s.sym[l], s.v[l] = old.v.lane(l)
		}
	}
	old.size = in.Size
	if old.v = w.settle(s); old.v.spread != nil {
		old.own = *s
		old.v.spread = &old.own
	}
}

func (w *warp) loadLocal(in *ir.Inst, at value) value {
	if !at.uniform() || in.Extra != nil {
		return top
	}
	if v, ok := w.locals[at.base]; ok && v.size == in.Size {
		return v.v
	}
	return top
}

// target is an address of the cluster's shared memory as the order engine numbers it; ok is false outside of it.
func (w *warp) target(n int64) (uint32, bool) {
	n = int64(uint32(n))
	rank := int(n>>ir.RankBits) - 1
	if rank < 0 {
		rank = w.cta.rank
	}
	return order.Shared(rank, uint32(n)), rank < len(w.m.ctas)
}
