package thread

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/ir"
)

// decide is for an unknown that decides: it has what would say so followed, if there is such a thing.
func (e *thread) decide(in *ir.Inst, v value, why string) error {
	if o := v.from(); o != nowhere && e.objects[o].eligible && !e.objects[o].tracked {
		e.objects[o].tracked = true
		return ErrAgain
	}
	return e.open(in, why)
}

// guard is whether an instruction is executed.
func (e *thread) guard(in *ir.Inst) value {
	if in.Guard < 0 {
		return integer(1)
	}
	return e.test(ir.Operand{Reg: in.Guard, Not: in.GuardNot})
}

// execute executes one instruction.
func (e *thread) execute(in *ir.Inst) error {
	switch g := e.guard(in); {
	case g == integer(0):
		e.pc++
		return nil
	case g.known():
	case in.Op == ir.Branch || in.Op == ir.Return || in.Op == ir.Exit:
		return e.pass(in, g)
	default:
		e.maybe, e.doubt = true, g.tag&0xff
	}
	if e.watch != nil {
		e.watch(e, in)
	}
	err := e.act(in)
	e.maybe = false
	return err
}

// act executes an instruction whose guard holds, or may.
func (e *thread) act(in *ir.Inst) error {
	switch in.Op {
	case ir.Branch, ir.BranchIndexed, ir.Call, ir.Return, ir.Exit:
		return e.jump(in)
	case ir.Shuffle, ir.Vote, ir.Elect:
		if in.Flags&ir.Meets == 0 { // among the lanes that happen to be there
			e.forget(in)
			e.pc++
			return nil
		}
	}
	switch {
	case waits(in):
		return e.await(in)
	case in.Op.Does(ir.Counts):
		return e.mbarrier(in)
	case in.Op.Does(ir.Signals|ir.Blocks) && in.Op != ir.GroupCommit && in.Op != ir.GroupWait:
		return e.fail(in, "this is not followed thread by thread")
	}
	e.pc++
	return e.inert(in)
}

// inert executes what neither jumps nor waits.
func (e *thread) inert(in *ir.Inst) error {
	switch in.Op {
	case ir.Nop, ir.Fence, ir.GridDependency, ir.MaxRegisters, ir.Sleep, ir.Stage, ir.GroupCommit, ir.GroupWait: // interleavings have no memory order
	case ir.Load, ir.Store, ir.Atomic, ir.Matrix:
		return e.access(in)
	case ir.Outside:
		switch {
		case in.Flags&ir.MayMeet != 0:
			return e.fail(in, in.Extra.Text+": it may wait, or let others on")
		case e.objects[shared].tracked || e.follows(ir.Generic):
			return e.fail(in, "what it does to memory is not followed")
		}
	case ir.Setp:
		p := compare(in, e.read(in.A), e.read(in.B))
		q := not(p)
		if in.Join != 0 {
			r := e.test(in.C)
			p, q = join(in.Join, p, r), join(in.Join, q, r)
		}
		e.setPredicate(in.D, p)
		e.setPredicate(in.E, q)
	case ir.Logic:
		e.setPredicate(in.D, join(in.Mode, e.test(in.A), e.test(in.B)))
	case ir.Select:
		a, b, p := e.read(in.A), e.read(in.B), e.test(in.C)
		if p == integer(0) {
			a = b
		} else if !p.known() {
			a = either(a, b, p)
		}
		e.set(in.D, a)
	case ir.Pack:
		e.set(in.D, e.pack(in))
	case ir.Unpack:
		for k, d := range in.Extra.Dests {
			e.set(d, e.unpack(in, k))
		}
	case ir.MapShared, ir.CTARank, ir.IsSpace:
		e.space(in)
	default:
		if !in.Op.Does(ir.Integer) {
			e.forget(in)
			return nil
		}
		var d value
		if d = integer(0); in.Extra != nil {
			d = e.read(in.Extra.Operands[0])
		}
		e.set(in.D, compute(in, e.read(in.A), e.read(in.B), e.read(in.C), d))
	}
	return nil
}

// forget is an instruction whose results are data.
func (e *thread) forget(in *ir.Inst) { e.results(in, func(r int32) { e.set(r, value{}) }) }

func (e *thread) pack(in *ir.Inst) value {
	parts := make([]value, len(in.Extra.Operands))
	n, known := int64(0), true
	for k, o := range in.Extra.Operands {
		parts[k] = e.read(o)
		known = known && parts[k].known()
		n |= ir.Type{Bits: in.Type.Bits}.Bring(parts[k].n) << (k * int(in.Type.Bits))
	}
	if !known || in.Result.Bits > 64 {
		return unknown(parts...)
	}
	return integer(in.Result.Store(n))
}

func (e *thread) unpack(in *ir.Inst, k int) value {
	v := e.read(in.A)
	if at := k * int(in.Type.Bits); v.known() && at < 64 {
		return integer(in.Type.Store(v.n >> at))
	}
	return unknown(v)
}

// space executes what asks and says whose memory an address is of.
func (e *thread) space(in *ir.Inst) {
	a, b := e.read(in.A), e.read(in.B)
	switch in.Op {
	case ir.MapShared:
		v := unknown(a, b)
		if a.known() && b.known() && b.n >= 0 && b.n < int64(e.launch.Cluster) {
			v = integer((a.n+in.Offset)&ir.OffsetMask | (b.n+1)<<ir.RankBits)
			if in.Flags&ir.ToShared != 0 {
				v.n |= ir.SharedWindow
			}
		} else if in.Flags&ir.ToShared != 0 {
			v.tag |= shared << 8
		}
		e.set(in.D, v)
	case ir.CTARank:
		v := unknown(a)
		if a.known() {
			v = integer(int64(e.cta(e.t) % e.launch.Cluster))
			if n := a.n &^ ir.SharedWindow >> ir.RankBits; n != 0 {
				v = integer(n - 1)
			}
		}
		e.set(in.D, v)
	default:
		v, o := unknown(a), a.object()
		space := map[string]int{"shared": shared, "shared::cluster": shared, "local": local, "const": constant, "global": firstPointer}[in.Extra.Text]
		if o != nowhere && space != nowhere {
			v = truth(min(o, firstPointer) == space)
		}
		e.setPredicate(in.D, v)
	}
}

// jump executes what changes the place.
func (e *thread) jump(in *ir.Inst) error {
	switch in.Op {
	case ir.Branch:
		e.pc = int64(in.Target)
	case ir.BranchIndexed:
		v := e.read(in.A)
		if !v.known() || e.maybe || v.n < 0 || v.n >= int64(len(in.Extra.Targets)) {
			return e.decide(in, v, "a branch on what is not known here")
		}
		e.pc = int64(in.Extra.Targets[v.n])
	case ir.Call:
		if e.maybe {
			return e.decide(in, e.guard(in), "whether it is called is not known here")
		}
		e.stack = append(e.stack, e.pc+1)
		e.pc = int64(in.Target)
	case ir.Return:
		if n := len(e.stack); n > 0 {
			e.pc, e.stack = e.stack[n-1], e.stack[:n-1]
			return nil
		}
		e.pc = e.end()
	case ir.Exit:
		if in.Mode != 0 {
			return e.fail(in, "a thread comes to a trap")
		}
		e.pc, e.stack = e.end(), nil
	}
	return nil
}

// maxRounds bounds how often a region is looked at: each time something more is not known.
const maxRounds = 1 << 10

// pass passes a branch whose way is not known. If no way from it does anything that others can tell, it does not matter which is
// taken: what any of them sets is unknown afterwards.
func (e *thread) pass(in *ir.Inst, g value) error {
	if o := g.from(); o != nowhere && e.objects[o].eligible && !e.objects[o].tracked {
		return e.decide(in, g, "")
	}
	const why = "a branch on what is not known here"
	r := e.kernel.RegionOf(int32(e.pc))
	if r.To < 0 || r.Why != "" {
		return e.open(in, why)
	}
	for _, k := range r.Insts {
		if i := &e.kernel.Insts[k]; e.polls[i] || waits(i) || i.Op == ir.Call || i.Op == ir.Exit && i.Mode == 0 && len(e.stack) > 0 {
			return e.open(in, fmt.Sprintf("%s, and there is %s on a way from it", why, i.Op))
		}
	}
	e.passed = true
	e.maybe, e.doubt = true, g.tag&0xff
	defer func() { e.maybe = false }()
	for round, more := 0, true; more; round++ {
		if round == maxRounds {
			return e.fail(in, why)
		}
		more = false
		for _, k := range r.Insts {
			i := &e.kernel.Insts[k]
			if i.Op.Branches() || e.guard(i) == integer(0) {
				continue
			}
			before := e.resultsNow(i)
			if e.watch != nil && round == 0 {
				e.watch(e, i)
			}
			if err := e.inert(i); err != nil {
				return err
			}
			for n, v := range e.resultsNow(i) {
				more = more || v != before[n]
			}
		}
	}
	e.pc = int64(r.To)
	return nil
}

func (e *thread) resultsNow(in *ir.Inst) (out []value) {
	e.results(in, func(r int32) { out = append(out, e.values[r]) })
	return out
}
