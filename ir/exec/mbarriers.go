package exec

import (
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
)

// mbarrier is the state of an mbarrier object (PTX ISA 9.7.13.15.2), for the execution alone.
type mbarrier struct {
	phase             int64
	pending, expected int64
	bytes             int64
	copies            []*order.Effect // of tensor copies of this phase, whose bytes are not known yet
	spans             []*order.Span   // where each writes; nil where that is not known
	last              uint32          // where the last arrival stands
}

// poll is the last test of an mbarrier that was taken to fail: when the warp comes back to it with nothing done in between,
// it is a loop, and the warp waits.
type poll struct {
	pc       int32
	mask     uint32
	object   uint32
	parity   int64
	commands int
	set      bool
}

// tokenBits are the bits of a token that are the phase; those above are the index of the arrive among the commands.
const tokenBits = 20

// mbarrier executes an operation on mbarriers; lanes may have different objects.
func (w *warp) mbarrier(f *fragment, in *ir.Inst, mask uint32) outcome {
	at, sp := w.address(in, in.A, in.Offset, mask)
	if sp != ir.Shared && sp != ir.Generic {
		return w.halt(f, limit.DataOperand.Says("the address of the mbarrier depends on data"))
	}
	for rest := mask; rest != 0; {
		l := trailing(rest)
		object, same, ok := w.object(at, l, rest)
		if !ok {
			return w.halt(f, limit.DataOperand.Says("the address of the mbarrier depends on data"))
		}
		rest &^= same
		if in.Op == ir.MbarTest {
			if same != f.mask {
				return w.apart(f, same)
			}
			return w.testWait(f, in, same, object)
		}
		if why := w.operate(in, same, l, object); why.Code != 0 {
			return w.halt(f, why)
		}
	}
	return next
}

// object is the mbarrier of lane l, and the lanes that have the same.
func (w *warp) object(at value, l int, mask uint32) (object, same uint32, ok bool) {
	sym, n := at.lane(l)
	if sym != known {
		return 0, 0, false
	}
	for k := l; k < ir.Lanes; k++ {
		if s, x := at.lane(k); mask>>k&1 != 0 && s == known && x == n {
			same |= 1 << k
		}
	}
	object, ok = w.target(n)
	return object, same, ok
}

// apart lets lanes that test another object, or for another phase, go on by themselves until they are out of the loop that tests.
func (w *warp) apart(f *fragment, mask uint32) outcome {
	w.split(f, f.mask&^mask, f.pc, f.stack, w.behind(f.pc))
	f.poll.set = false
	return changed
}

// behind is where all ways from the branch that asks what a test said come together: behind the loop, where it is one; -1 if there is none.
func (w *warp) behind(pc int32) int32 {
	for k := pc + 1; k <= pc+maxLanding && int(k) < len(w.m.kernel.Insts); k++ {
		if in := &w.m.kernel.Insts[k]; in.Op == ir.Branch && in.Guard >= 0 {
			return w.m.kernel.AfterBranch(k)
		} else if in.Op.Branches() {
			return -1
		}
	}
	return -1
}

// operate executes an init, inval, arrive, expect_tx, complete_tx or deferred arrive; it returns what is wrong.
func (w *warp) operate(in *ir.Inst, mask uint32, l int, object uint32) limit.Reason {
	sb, b := w.lane(in.B, l)
	sc, c := w.lane(in.C, l)
	if sb|sc != known {
		return limit.DataOperand.Says("the count of the mbarrier depends on data")
	}
	n := int64(count(mask))
	o := w.m.object(object)
	w.m.settle(o)
	switch {
	case in.Op == ir.MbarInit:
		w.out.Init(in.Place, mask, object, uint32(b))
		*o = mbarrier{pending: b, expected: b}
		w.m.within[0], w.m.within[1] = min(w.m.within[0], object), max(w.m.within[1], object)
	case in.Op == ir.MbarInval:
		w.out.Inval(in.Place, mask, object)
		delete(w.m.mbarriers, object)
	case in.Op == ir.AsyncArrive:
		return w.arriveDone(in, mask, object)
	case in.Op == ir.MbarCompleteTx:
		w.out.Contribute(order.MbarComplete, in.Place, mask, object, 0, uint32(c))
		o.bytes -= n * c
		w.m.complete(o)
	case in.Op == ir.MbarExpectTx:
		w.out.Contribute(order.MbarExpect, in.Place, mask, object, 0, uint32(c))
		o.bytes += n * c
	default:
		kind := order.MbarArrive
		if in.Flags&ir.Drop != 0 {
			kind = order.MbarDrop
			o.expected -= n * b
		}
		v := integer(int64(len(w.out.Commands))<<tokenBits | o.phase&(1<<tokenBits-1))
		w.set(in.D, &v, mask, 0)
		w.out.Contribute(kind, in.Place, mask, object, uint32(b), uint32(c))
		o.bytes += n * c
		o.pending -= n * b
		o.last = in.Place
		w.m.complete(o)
	}
	return limit.Reason{}
}

// lane is an operand in a lane.
func (w *warp) lane(o ir.Operand, l int) (symbol, int64) {
	v := w.read(o)
	return v.lane(l)
}

func (m *machine) object(at uint32) *mbarrier {
	o := m.mbarriers[at]
	if o == nil {
		o = &mbarrier{}
		m.mbarriers[at] = o
	}
	return o
}

// complete ends a phase when nothing is missing (PTX ISA 9.7.13.15.6). As long as tensor copies bring some of its bytes, it
// may be that more of them come.
func (m *machine) complete(o *mbarrier) {
	if o.pending <= 0 && o.expected > 0 && o.bytes == 0 {
		if len(o.copies) > 0 { // it expects no bytes of them: how many they write nobody says
			m.forgetShared()
		}
		o.phase++
		o.pending = o.expected
	}
}

// settle ends a phase of which nothing but the bytes of tensor copies is missing: their sizes, which the PTX does not have, are
// what it still expects. Which part of it each brings does not matter for the phase; where there are several, no more than
// the least that each writes is in a race.
func (m *machine) settle(o *mbarrier) bool {
	n := int64(len(o.copies))
	if o.pending > 0 || o.expected <= 0 || n == 0 || o.bytes <= 0 {
		return false
	}
	for k, e := range o.copies {
		e.Bytes = uint32(o.bytes / n)
		if o.spans[k] == nil { // where it writes is not known: shared memory is forgotten already
			continue
		}
		if n == 1 {
			o.spans[k].Size = e.Bytes
		}
		m.overwritten(o.spans[k].Base, uint32(min(o.bytes, maxShared)))
	}
	o.copies[n-1].Bytes += uint32(o.bytes % n)
	o.bytes, o.copies, o.spans = 0, nil, nil
	m.complete(o)
	return true
}

// mbarrierBytes is how large an mbarrier is (PTX ISA 9.7.13.15.2).
const mbarrierBytes = 8

// overwrites notes where data are written to an mbarrier: what it does from then on is not defined (PTX ISA 9.7.13.15.1).
func (w *warp) overwrites(in *ir.Inst, mask uint32, at order.Address) {
	m := w.m
	for rest := mask; rest != 0 && m.within[1] >= m.within[0]; rest &= rest - 1 {
		from := uint32(int64(at.Base) + int64(trailing(rest))*int64(at.Stride))
		if from >= m.within[1]+mbarrierBytes || from+at.Size <= m.within[0] {
			continue
		}
		for object := range m.mbarriers {
			if from < object+mbarrierBytes && object < from+at.Size {
				w.miss(in, limit.Undefined.Says("data are written to the memory of an mbarrier"))
				return
			}
		}
	}
}

// partly is an arrival in a phase that others are missing in at the end; nil where there is none.
func (m *machine) partly() *ir.Place {
	for _, at := range slices.Sorted(maps.Keys(m.mbarriers)) {
		if o := m.mbarriers[at]; o.pending > 0 && o.pending < o.expected {
			return &m.kernel.Places[o.last]
		}
	}
	return nil
}

// settleAll ends the phases that wait for tensor copies only, when nobody issues more of them before one is over.
func (m *machine) settleAll() (settled bool) {
	for _, at := range slices.Sorted(maps.Keys(m.mbarriers)) {
		settled = m.settle(m.mbarriers[at]) || settled
	}
	return settled
}

// idle reports whether lanes have issued no command since there were so many.
func (w *warp) idle(since int, mask uint32) bool {
	for k := since; k < len(w.out.Commands); k++ {
		if w.out.Commands[k].Mask&mask != 0 {
			return false
		}
	}
	return true
}

// testWait executes test_wait and try_wait.
func (w *warp) testWait(f *fragment, in *ir.Inst, mask, object uint32) outcome {
	l := trailing(mask)
	s, n := w.lane(in.B, l)
	for k := l; k < ir.Lanes; k++ {
		if s2, n2 := w.lane(in.B, k); mask>>k&1 != 0 && (s2 != s || n2 != n) {
			return w.apart(f, 1<<l)
		}
	}
	if s != known {
		return w.halt(f, limit.DataOperand.Says("what is waited for depends on data"))
	}
	here := poll{pc: f.pc, mask: mask, object: object, parity: n, commands: len(w.out.Commands), set: true}
	idle := f.poll.set && w.idle(f.poll.commands, mask)
	if idle { // what other lanes of the warp did is not done in between
		here.commands = f.poll.commands
	}
	if f.poll != here {
		if before := f.poll; before.set && (!idle || before.object != object || before.parity != n || before.mask != mask || !w.alike(before.pc, f.pc)) {
			w.m.peeked(w.m.kernel.Insts[f.poll.pc].Place)
		}
		f.poll = here
		w.setPredicate(in.D, predicate{}, mask, 0)
		return next
	}
	f.poll.set = false
	w.setPredicate(in.D, predicate{bits: ^uint32(0)}, mask, 0)
	phase := n & 1
	o := w.m.object(object)
	if in.Flags&ir.Token != 0 {
		w.out.WaitToken(in.Place, mask, object, int(n>>tokenBits))
		phase = n & (1<<tokenBits - 1)
		if phase < o.phase&(1<<tokenBits-1) {
			phase = o.phase - 1
		} else {
			phase = o.phase
		}
	} else {
		w.out.Wait(in.Place, mask, object, uint32(n&1))
		if o.phase&1 != phase { // the phase of this parity is over
			phase = o.phase - 1
		} else {
			phase = o.phase
		}
	}
	f.pc++
	f.wait = wait{kind: forMbarrier, object: object, phase: phase}
	return changed
}
