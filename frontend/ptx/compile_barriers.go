package ptx

import (
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/ptx"
)

// barrier compiles named, warp and cluster barriers (PTX ISA 9.7.13.1 to 9.7.13.3).
func (c *compiler) barrier(i *program.Instr) bool {
	if i.Op != "bar" && i.Op != "barrier" {
		return false
	}
	in := ir.Blank(ir.BarrierCTA)
	if i.Op == "bar" || i.Has("aligned") {
		in.Flags |= ir.Aligned
	}
	switch {
	case i.Has("warp"):
		in.Op, in.Flags, in.Members = ir.BarrierWarp, 0, c.input(i, 0)
	case i.Has("cluster"):
		in.Op = ir.BarrierCluster
		if i.Has("arrive") {
			in.Flags |= ir.Arrives
		}
		ordered(i, &in, clusterOrder(i), ir.ScopeCluster)
	case i.Has("red"):
		c.reduce(i, &in)
	default:
		if i.Has("arrive") {
			in.Flags |= ir.Arrives
		}
		in.A, in.B = c.input(i, 0), ir.Operand{Reg: -1} // all threads
		if len(i.Operands) > 1 {
			in.B = c.input(i, 1)
		}
	}
	c.add(in, i)
	return true
}

// clusterOrder is that of barrier.cluster where it says none (PTX ISA 9.7.13.3).
func clusterOrder(i *program.Instr) ir.Order {
	if i.Has("arrive") {
		return ir.Release
	}
	return ir.Acquire
}

// reduce compiles barrier.red: d, a, b, p, where b may be left out (PTX ISA 9.7.13.1).
func (c *compiler) reduce(i *program.Instr, in *ir.Inst) {
	in.A, in.B = c.input(i, 1), ir.Operand{Reg: -1}
	last := len(i.Operands) - 1
	if last > 2 {
		in.B = c.input(i, 2)
	}
	if last > 1 {
		in.C = c.pred(term(i, last))
	}
	for k, name := range []string{"popc", "and", "or"} {
		if i.Has(name) {
			in.Mode = uint8(k + 1)
		}
	}
	if i.Has("popc") {
		in.D = c.output(term(i, 0))
	} else {
		in.E = c.predOut(term(i, 0))
	}
}

// mbarrier compiles operations on mbarriers (PTX ISA 9.7.13.15).
func (c *compiler) mbarrier(i *program.Instr) bool {
	if i.Op != "mbarrier" || len(i.Modifiers) == 0 {
		return false
	}
	in := ir.Blank(ir.MbarArrive)
	in.Space = spaceOf(i)
	switch i.Modifiers[0] {
	case "init":
		in.Op = ir.MbarInit
		in.A, in.Offset = c.memory(i, 0)
		in.B = c.input(i, 1)
	case "inval":
		in.Op = ir.MbarInval
		in.A, in.Offset = c.memory(i, 0)
	case "expect_tx", "complete_tx":
		in.Op = ir.MbarExpectTx
		if i.Modifiers[0] == "complete_tx" {
			in.Op = ir.MbarCompleteTx
		}
		in.A, in.Offset = c.memory(i, 0)
		in.C = c.input(i, 1)
		ordered(i, &in, ir.Relaxed, ir.ScopeCTA)
	case "arrive", "arrive_drop":
		c.arrive(i, &in)
		ordered(i, &in, ir.Release, ir.ScopeCTA)
	case "test_wait", "try_wait":
		in.Op, in.D = ir.MbarTest, c.predOut(firstOf(term(i, 0)))
		in.A, in.Offset = c.memory(i, 1)
		in.B = c.input(i, 2)
		if !i.Has("parity") {
			in.Flags |= ir.Token
		}
		if i.Modifiers[0] == "try_wait" {
			in.Mode = 1
		}
		ordered(i, &in, ir.Acquire, ir.ScopeCTA)
	default:
		c.forget(i)
		return true
	}
	c.add(in, i)
	return true
}

func firstOf(t ptx.Term) ptx.Term {
	if t.Kind == ptx.Pair && len(t.Parts) > 0 {
		return t.Parts[0]
	}
	return t
}

// arrive compiles mbarrier.arrive [state,] [addr] [, count or bytes].
func (c *compiler) arrive(i *program.Instr, in *ir.Inst) {
	k := 0
	if term(i, 0).Kind != ptx.Address {
		in.D = c.output(term(i, 0))
		k = 1
	}
	in.A, in.Offset = c.memory(i, k)
	in.B = ir.Operand{Reg: -1, Imm: 1}
	if i.Modifiers[0] == "arrive_drop" {
		in.Flags |= ir.Drop
	}
	switch {
	case i.Has("expect_tx"):
		in.C = c.input(i, k+1)
	case len(i.Operands) > k+1:
		in.B = c.input(i, k+1)
	}
}
