package ptx

import (
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// asynchronous compiles what goes on by itself: cp.async, bulk copies, st.async, and what waits for them (PTX ISA 9.7.9.25).
func (c *compiler) asynchronous(i *program.Instr) bool {
	switch {
	case len(i.Modifiers) == 0:
		return false
	case i.Op == "cp" && (i.Has("commit_group") || i.Has("wait_group") || i.Has("wait_all")):
		unit := ir.CpAsync
		if i.Has("bulk") { // groups of their own (PTX ISA 9.7.9.25.4.3)
			unit = ir.Bulk
		}
		c.groups(i, unit)
	case i.Op == "cp" && i.Has("mbarrier"):
		in := ir.Blank(ir.AsyncArrive)
		in.A, in.Offset = c.memory(i, 0)
		in.Mode, in.Space = uint8(ir.CpAsync), spaceOf(i)
		if i.Has("noinc") {
			in.Flags |= ir.NoInc
		}
		c.add(in, i)
	case i.Op == "cp" && i.Has("bulk") && i.Has("prefetch"):
	case i.Op == "cp" && i.Has("bulk"):
		c.bulk(i)
	case i.Op == "cp" && i.Has("async"):
		in := ir.Blank(ir.Async)
		in.Mode, in.Flags = uint8(ir.CpAsync), ir.ToShared
		c.addresses(&in, i, 0, 1)
		in.B = c.input(i, 2)
		c.add(in, i)
	case i.Op == "st" && i.Has("bulk"): // writes as many bytes as it is told
		c.untracked(i)
	case (i.Op == "st" || i.Op == "red") && i.Has("async"):
		c.remote(i)
	case i.Op == "wgmma" && (i.Has("commit_group") || i.Has("wait_group")):
		c.groups(i, ir.Wgmma)
	case i.Op == "wgmma":
		c.warpgroup(i)
	case i.Op == "tcgen05":
		c.tensor(i)
	case i.Op == "clusterlaunchcontrol" && i.Has("try_cancel"):
		in := ir.Blank(ir.Async)
		in.Flags = ir.ToShared
		c.addresses(&in, i, 0, -1, 1)
		in.B = ir.Operand{Reg: -1, Imm: 16}
		if strings.Contains(spelled(i), "multicast") {
			c.stop(i, limit.Operation.Says(spelled(i)+" is not modelled"))
			return true
		}
		c.add(in, i)
	default:
		return false
	}
	return true
}

// addresses sets which operands are the destination, the source and the mbarrier; -1 for none.
func (c *compiler) addresses(in *ir.Inst, i *program.Instr, at ...int) {
	in.Extra = &ir.Extra{Operands: []ir.Operand{ir.None, ir.None, ir.None, ir.None}, Offsets: make([]int64, 4)}
	for n, k := range at {
		if k >= 0 {
			in.Extra.Operands[n], in.Extra.Offsets[n] = c.memory(i, k)
		}
	}
}

func (c *compiler) groups(i *program.Instr, u ir.Unit) {
	if u == ir.Wgmma { // .sync.aligned (PTX ISA 9.7.15.7)
		c.together(i)
	}
	in := ir.Blank(ir.GroupCommit)
	in.Mode = uint8(u)
	if !i.Has("commit_group") {
		in.Op = ir.GroupWait
		in.A = ir.Operand{Reg: -1}
		if i.Has("wait_group") {
			in.A = c.input(i, 0)
		}
		if i.Has("read") {
			in.Flags |= ir.ReadsDone
		}
	}
	if i.Has("wait_all") { // commits first (PTX ISA 9.7.9.25.3.3)
		first := ir.Blank(ir.GroupCommit)
		first.Mode = uint8(u)
		c.add(first, i)
	}
	c.add(in, i)
}

// bulk compiles cp.async.bulk and cp.reduce.async.bulk, tensors among them.
func (c *compiler) bulk(i *program.Instr) {
	if i.Has("commit_group") || i.Has("wait_group") {
		c.groups(i, ir.Bulk)
		return
	}
	in := ir.Blank(ir.Async)
	in.Mode = uint8(ir.Bulk)
	dst, src := "", ""
	for _, m := range i.Modifiers {
		if base, _, _ := strings.Cut(m, "::"); base == "shared" || base == "global" {
			if dst == "" {
				dst = base
			} else if src == "" {
				src = base
			}
		}
	}
	if dst == "shared" {
		in.Flags |= ir.ToShared
	}
	if src == "shared" {
		in.Flags |= ir.FromShared
	}
	if i.Has("multicast::cluster") {
		in.Flags |= ir.Multicast
	}
	bytes := 2
	if i.Has("tensor") {
		in.Flags |= ir.Tensor
		bytes = -1
	}
	next := 2 + min(bytes, 0) + 1
	mbar := -1
	if i.Has("mbarrier::complete_tx::bytes") {
		mbar = next
		next++
	}
	c.addresses(&in, i, 0, 1, mbar)
	in.B = ir.Operand{Reg: -1}
	if bytes > 0 {
		in.B = c.input(i, bytes)
	}
	if in.Flags&ir.Multicast != 0 { // im2col offsets may stand before the mask
		for next < len(i.Operands) && len(i.Operands[next].Vector) > 0 {
			next++
		}
		in.Extra.Operands[3] = c.input(i, next)
	}
	c.add(in, i)
}

// remote compiles st.async and red.async: [a], value, [mbar] (PTX ISA 9.7.9.12, 9.7.13.7).
func (c *compiler) remote(i *program.Instr) {
	in := ir.Blank(ir.Async)
	in.Flags = ir.ToShared
	if i.Op == "red" {
		in.Flags |= ir.Reduction
	}
	ts := types(i)
	n := int64(1)
	for _, m := range i.Modifiers {
		if k := map[string]int64{"v2": 2, "v4": 4}[m]; k != 0 {
			n = k
		}
	}
	in.B = ir.Operand{Reg: -1}
	if len(ts) > 0 {
		in.B.Imm = n * int64(ts[len(ts)-1].Bits) / 8
	}
	c.addresses(&in, i, 0, -1, 2)
	if len(i.Operands) < 3 {
		in.Extra.Operands[2] = ir.None
	}
	c.add(in, i)
}
