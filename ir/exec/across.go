package exec

import (
	"fmt"
	"math/bits"

	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
)

// across executes what goes on between the lanes of a warp, and between registers.
func (w *warp) across(f *fragment, in *ir.Inst, mask, open uint32) outcome {
	if in.Flags&ir.Meets != 0 && mask != 0 && open == 0 && !w.meets(f, in, mask, order.WarpMeet) {
		return changed
	}
	switch in.Op {
	case ir.Rendezvous:
	case ir.Pack:
		v := w.pack(in)
		w.set(in.D, &v, mask, open)
	case ir.Unpack:
		for k, d := range in.Extra.Dests {
			if d >= 0 {
				v := w.unpack(in, k)
				w.set(d, &v, mask, open)
			}
		}
	case ir.Shuffle:
		if mask != 0 && open == 0 {
			w.absent(in, mask)
		}
		v, valid := w.shuffle(in, f.mask)
		w.set(in.D, &v, mask, open)
		w.setPredicate(in.E, valid, mask, open)
	case ir.Vote:
		w.vote(f, in, mask, open)
	case ir.Elect:
		members := w.members(in.A, f.mask) & f.mask
		v, p := top, predicate{open: ^uint32(0)}
		if members != 0 {
			leader := trailing(members)
			v, p = integer(int64(leader)), predicate{bits: 1 << leader}
		}
		w.set(in.D, &v, mask, open)
		w.setPredicate(in.E, p, mask, open)
	case ir.MapShared:
		v := w.mapped(in)
		w.set(in.D, &v, mask, open)
	case ir.CTARank:
		v := integer(int64(w.cta.rank))
		if a := w.read(in.A); !a.affine() {
			v = top
		} else if n := a.base &^ ir.SharedWindow; n>>ir.RankBits != 0 {
			v = integer(n>>ir.RankBits - 1)
		}
		w.set(in.D, &v, mask, open)
	case ir.IsSpace:
		w.setPredicate(in.D, w.inSpace(in), mask, open)
	}
	return next
}

var partsOfMask = limit.Operation.Says("lanes of the mask stand elsewhere: whether and where they come to it is not followed")

// meets lets the lanes of a mask come together; false: that is not followed. A lane that its own mask leaves out is undefined (PTX ISA 9.7.9.6, 9.7.13.2).
func (w *warp) meets(f *fragment, in *ir.Inst, mask uint32, how order.Kind) bool {
	out := w.outside(in, mask)
	if out == 0 && w.scattered(in, mask) {
		w.halt(f, partsOfMask)
		return false
	}
	if v := w.read(in.Members); mask != 0 {
		if sym, named := v.lane(trailing(mask)); sym == known && uint32(named)&^w.alive&w.out.Lanes != 0 && how != order.WarpSync {
			w.miss(in, limit.Undefined.Says("lanes of the mask have exited when the others exchange: what is read of them is undefined"))
		}
	}
	for rest := mask; rest != 0; {
		group := w.named(in, rest)
		w.out.Joint(how, in.Place, group, 0)
		rest &^= group
	}
	if out != 0 {
		w.excluded(in, out)
	}
	return true
}

// named are the lanes of a mask that name the same lanes as the first of them does, as those of one tile: they wait for these and for no others (PTX ISA 9.7.13.2). Who names lanes that are not known is taken to name all.
func (w *warp) named(in *ir.Inst, mask uint32) (group uint32) {
	if in.Members.Reg < 0 {
		return mask
	}
	v := w.read(in.Members)
	first, named := v.lane(trailing(mask))
	for rest := mask; rest != 0; rest &= rest - 1 {
		l := trailing(rest)
		if sym, n := v.lane(l); sym != known && first != known || sym == first && uint32(n) == uint32(named) {
			group |= 1 << l
		}
	}
	return group
}

// excluded tells of lanes that run an instruction whose mask leaves them out.
func (w *warp) excluded(in *ir.Inst, out uint32) {
	at := w.here(in, out)
	v := w.read(in.Members)
	_, named := v.lane(at.Lane)
	w.m.fault(order.Divergence, at, fmt.Sprintf("thread %d runs this with a mask of lanes, %#x, that leaves out its own lane %d: undefined (PTX ISA 9.7.9.6, 9.7.13.2)",
		w.out.First+at.Lane, uint32(named), at.Lane))
}

// outside are the lanes whose own mask leaves them out.
func (w *warp) outside(in *ir.Inst, mask uint32) (out uint32) {
	if in.Members == ir.None {
		return 0
	}
	v := w.read(in.Members)
	for rest := mask; rest != 0; rest &= rest - 1 {
		l := trailing(rest)
		if sym, named := v.lane(l); sym == known && named>>l&1 == 0 {
			out |= 1 << l
		}
	}
	return out
}

// scattered reports whether a mask names lanes that run, and that do not run the instruction together with these, or may do so.
func (w *warp) scattered(in *ir.Inst, mask uint32) bool {
	apart := w.alive &^ mask
	if in.Members == ir.None || apart == 0 {
		return false
	}
	v := w.read(in.Members)
	for rest := mask; rest != 0; rest &= rest - 1 {
		if sym, named := v.lane(trailing(rest)); sym != known || uint32(named)&apart != 0 {
			return true
		}
	}
	return false
}

// pack joins parts to a wider register.
func (w *warp) pack(in *ir.Inst) value {
	s := &w.merged
	for l := range s.v {
		s.sym[l], s.v[l] = known, 0
	}
	for k, o := range in.Extra.Operands {
		v := w.read(o)
		for l := range s.v {
			sym, n := v.lane(l)
			if sym != known {
				s.sym[l] = unknown
				continue
			}
			part := ir.Type{Bits: in.Type.Bits}.Bring(n)
			s.v[l] |= part << (k * int(in.Type.Bits))
		}
	}
	for l := range s.v {
		s.v[l] = in.Result.Store(s.v[l])
	}
	return w.settle(s)
}

// unpack takes a part of a wider register.
func (w *warp) unpack(in *ir.Inst, k int) value {
	v := w.read(in.A)
	s := &w.merged
	for l := range s.v {
		sym, n := v.lane(l)
		s.sym[l], s.v[l] = sym, in.Type.Store(n>>(k*int(in.Type.Bits)))
		if sym != known {
			s.sym[l] = unknown
		}
	}
	return w.settle(s)
}

// members are the lanes of a member mask, as the lanes that are there have it; all that are there, if it is not known.
func (w *warp) members(o ir.Operand, there uint32) uint32 {
	if there == 0 {
		return 0
	}
	v := w.read(o)
	sym, named := v.lane(trailing(there))
	for rest := there; rest != 0; rest &= rest - 1 {
		if s, n := v.lane(trailing(rest)); s != known || s != sym || n != named {
			return there
		}
	}
	return uint32(named)
}

// shuffle is shfl.sync (PTX ISA 9.7.9.6): the lane that a lane reads follows from the mode, b and c. Lanes that do not
// take part have no defined value.
func (w *warp) shuffle(in *ir.Inst, there uint32) (value, predicate) {
	a, b, c := w.read(in.A), w.read(in.B), w.read(in.C)
	s := &w.merged
	var valid predicate
	for l := 0; l < ir.Lanes; l++ {
		s.sym[l], s.v[l] = unknown, 0
		sb, vb := b.lane(l)
		sc, vc := c.lane(l)
		if sb|sc != known {
			valid.open |= 1 << l
			continue
		}
		from, ok := ir.ShuffledFrom(in.Mode, l, int(vb&31), int(vc))
		if ok {
			valid.bits |= 1 << l
		}
		if there>>from&1 != 0 {
			s.sym[l], s.v[l] = a.lane(from)
		}
	}
	return w.settle(s), valid
}

// absent notes a lane that there is not in a CTA that ends within a warp, where another reads of it: what it finds is undefined (CUDA C++ Programming Guide, Warp Shuffle Functions).
func (w *warp) absent(in *ir.Inst, mask uint32) {
	if w.out.Lanes == ^uint32(0) {
		return
	}
	b, c := w.read(in.B), w.read(in.C)
	for rest := mask; rest != 0; rest &= rest - 1 {
		l := trailing(rest)
		sb, vb := b.lane(l)
		sc, vc := c.lane(l)
		if sb|sc != known {
			continue
		}
		if from, _ := ir.ShuffledFrom(in.Mode, l, int(vb&31), int(vc)); w.out.Lanes>>from&1 == 0 {
			w.miss(in, limit.Undefined.Sayf("lane %d reads what lane %d has, and the last warp of the CTA has no such lane: that is undefined", l, from))
			return
		}
	}
}

// vote is vote.sync: all, any, uni of a predicate, or its ballot.
func (w *warp) vote(f *fragment, in *ir.Inst, mask, open uint32) {
	p := w.test(in.A)
	members := w.members(in.B, f.mask)
	there := members & w.alive
	hidden := there&^f.mask | p.open&there // lanes that stand elsewhere, or are not known
	if in.Mode == 3 {
		v := integer(int64(int32(p.bits & there)))
		if hidden != 0 {
			v = top
		}
		w.set(in.D, &v, mask, open)
		return
	}
	var r predicate
	n := bits.OnesCount32(p.bits & there &^ hidden)
	all := bits.OnesCount32(there)
	yes := false
	switch in.Mode {
	case 0:
		yes = n == all
		if n == all-bits.OnesCount32(hidden) && hidden != 0 {
			r.open = ^uint32(0)
		}
	case 1:
		yes = n > 0
		if !yes && hidden != 0 {
			r.open = ^uint32(0)
		}
	default:
		yes = n == 0 || n == all
		if hidden != 0 {
			r.open = ^uint32(0)
		}
	}
	if yes && r.open == 0 {
		r.bits = ^uint32(0)
	}
	w.setPredicate(in.E, r, mask, open)
}

// mapped is mapa: the address in the shared memory of another CTA of the cluster.
func (w *warp) mapped(in *ir.Inst) value {
	a, b := w.read(in.A), w.read(in.B)
	back := int64(0)
	if in.Flags&ir.ToShared != 0 {
		back = ir.SharedWindow
	}
	s := &w.merged
	for l := range s.v {
		sa, n := a.lane(l)
		sb, rank := b.lane(l)
		s.sym[l], s.v[l] = known, (n+in.Offset)&ir.OffsetMask|(rank+1)<<ir.RankBits|back
		if sa|sb != known || rank < 0 || rank >= int64(len(w.m.ctas)) {
			s.sym[l] = unknown
		}
	}
	return w.settle(s)
}

// inSpace decides isspacep.
func (w *warp) inSpace(in *ir.Inst) predicate {
	v := w.read(in.A)
	var p predicate
	want := map[string]int64{"shared": ir.SharedWindow, "shared::cta": ir.SharedWindow, "shared::cluster": ir.SharedWindow, "const": ir.ConstWindow,
		"local": ir.LocalWindow}[in.Extra.Text]
	for l := 0; l < ir.Lanes; l++ {
		sym, n := v.lane(l)
		switch {
		case sym&linear != 0 && !w.m.kernel.FromShared(in):
			if want == 0 {
				p.bits |= 1 << l
			}
		case sym != known || in.Extra.Text == "shared::cta":
			p.open |= 1 << l
		case n>>ir.WindowBits<<ir.WindowBits == want:
			p.bits |= 1 << l
		}
	}
	return p
}
