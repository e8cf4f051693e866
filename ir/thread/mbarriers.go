package thread

import "github.com/fencepost-dev/fencepost/ir"

// Numbers of an mbarrier (PTX ISA 9.7.13.15.2): of its phase the parity is enough, as what may be waited for is this phase and the one
// before it (9.7.13.15.16).
const (
	pending = iota
	expected
	bytes
	phase
)

// mbarrier executes an operation on an mbarrier.
func (e *thread) mbarrier(in *ir.Inst) error {
	if in.Op == ir.Async || in.Op == ir.AsyncArrive {
		return e.async(in)
	}
	if e.maybe {
		return e.decide(in, value{tag: e.doubt}, "whether it is executed is not known here")
	}
	o, at, known := e.target(in, in.A, in.Offset)
	b, c := e.read(in.B), e.read(in.C)
	switch {
	case !known || o != shared:
		return e.decide(in, e.read(in.A), "the address of the mbarrier is not known here")
	case in.B != ir.None && !b.known(), in.C != ir.None && !c.known():
		return e.decide(in, unknown(b, c), "the operands of the mbarrier are not known here")
	case e.launch.Fewer:
		return e.fail(in, "an mbarrier counts threads, and fewer are executed than are launched")
	case at&7 != 0:
		return e.fail(in, "the mbarrier is not aligned to 8 bytes")
	}
	var held [4]*int64
	for k := range held {
		i, err := e.at(cell{ofMbarriers, e.owner(at), at&ir.OffsetMask<<2 | int64(k)})
		if err != nil {
			return err
		}
		held[k] = &e.state[i]
	}
	e.pc++
	e.wrote = e.wrote || in.Op != ir.MbarTest
	if in.Op == ir.MbarInit {
		*held[pending], *held[expected], *held[bytes], *held[phase] = b.n, b.n, 0, 0
		return nil
	}
	if *held[expected] == 0 {
		return e.fail(in, "the mbarrier is not initialised")
	}
	switch in.Op {
	case ir.MbarInval:
		*held[pending], *held[expected], *held[bytes], *held[phase] = 0, 0, 0, 0
		return nil
	case ir.MbarTest:
		e.setPredicate(in.D, truth(*held[phase] != b.n&1))
		return nil
	case ir.MbarExpectTx:
		*held[bytes] += c.n
	case ir.MbarCompleteTx:
		*held[bytes] -= c.n
	default:
		if in.C != ir.None {
			*held[bytes] += c.n
		}
		e.set(in.D, integer(*held[phase]))
		*held[pending] -= b.n
		if in.Flags&ir.Drop != 0 {
			*held[expected] -= b.n
		}
	}
	if *held[pending] < 0 {
		return e.fail(in, "more arrive than the mbarrier expects")
	}
	if *held[pending] == 0 && *held[bytes] == 0 {
		*held[pending] = *held[expected]
		*held[phase] ^= 1
	}
	return nil
}

// async executes cp.async: it brings data. What else the copy engines do is not followed.
func (e *thread) async(in *ir.Inst) error {
	if in.Op != ir.Async || ir.Unit(in.Mode) != ir.CpAsync {
		return e.fail(in, "what the copy engines do is not followed thread by thread")
	}
	e.pc++
	if !e.objects[shared].tracked {
		return nil
	}
	return e.fail(in, "it writes shared memory, of which something decides what threads do")
}
