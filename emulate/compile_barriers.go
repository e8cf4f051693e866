package emulate

import (
	"strings"

	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/ptx"
)

// barrier compiles named, warp and cluster barriers (PTX ISA 9.7.13.1 to 9.7.13.3).
func (c *compiler) barrier(i *program.Instr) bool {
	if i.Op != "bar" && i.Op != "barrier" {
		return false
	}
	in := blank(opNamed)
	if i.Op == "bar" || i.Has("aligned") {
		in.flags |= aligned
	}
	in.b = operand{reg: -1} // all threads
	switch {
	case i.Has("warp"):
		in.op, in.flags, in.members = opWarpSync, 0, c.input(i, 0)
	case i.Has("cluster"):
		in.op = opCluster
		if i.Has("arrive") {
			in.flags |= arrives
		}
	case i.Has("red"):
		in.a = c.input(i, 1)
		if len(i.Operands) > 3 { // d, a, b, p: without b the third is the predicate
			in.b = c.input(i, 2)
		}
		c.forget(i)
	default:
		if i.Has("arrive") {
			in.flags |= arrives
		}
		in.a = c.input(i, 0)
		if len(i.Operands) > 1 {
			in.b = c.input(i, 1)
		}
	}
	c.add(in, i)
	return true
}

// mbarrier compiles operations on mbarriers (PTX ISA 9.7.13.15).
func (c *compiler) mbarrier(i *program.Instr) bool {
	if i.Op != "mbarrier" || len(i.Modifiers) == 0 {
		return false
	}
	in := blank(opContribute)
	in.b, in.c = operand{reg: -1, imm: 1}, operand{reg: -1}
	in.space = spaceOf(i)
	switch i.Modifiers[0] {
	case "init":
		in.op = opInit
		in.a, in.offset = c.memory(i, 0)
		in.b = c.input(i, 1)
	case "inval":
		in.op = opInval
		in.a, in.offset = c.memory(i, 0)
	case "expect_tx", "complete_tx":
		in.flags = tx
		if i.Modifiers[0] == "complete_tx" {
			in.flags = complete
		}
		in.a, in.offset = c.memory(i, 0)
		in.b, in.c = operand{reg: -1}, c.input(i, 1)
	case "arrive", "arrive_drop":
		c.arrive(i, &in)
	case "test_wait", "try_wait":
		in.op, in.d = opTest, c.predOut(firstOf(term(i, 0)))
		in.a, in.offset = c.memory(i, 1)
		in.b = c.input(i, 2)
		if !i.Has("parity") {
			in.flags |= token
		}
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
func (c *compiler) arrive(i *program.Instr, in *inst) {
	k := 0
	if term(i, 0).Kind != ptx.Address {
		in.d = c.output(term(i, 0))
		k = 1
	}
	in.flags = arrives
	in.a, in.offset = c.memory(i, k)
	if i.Modifiers[0] == "arrive_drop" {
		in.flags |= drop
	}
	switch {
	case i.Has("expect_tx"):
		in.flags |= tx
		in.c = c.input(i, k+1)
	case len(i.Operands) > k+1:
		in.b = c.input(i, k+1)
	}
}

// asynchronous compiles what goes on by itself: cp.async, bulk copies, st.async, and what waits for them (PTX ISA 9.7.9.25).
func (c *compiler) asynchronous(i *program.Instr) bool {
	switch {
	case len(i.Modifiers) == 0:
		return false
	case i.Op == "cp" && (i.Has("commit_group") || i.Has("wait_group") || i.Has("wait_all")):
		c.groups(i, order.CpAsync)
	case i.Op == "cp" && i.Has("mbarrier"):
		in := blank(opArriveDone)
		in.a, in.offset = c.memory(i, 0)
		in.sub = uint8(order.CpAsync)
		if i.Has("noinc") {
			in.flags |= noInc
		}
		c.add(in, i)
	case i.Op == "cp" && i.Has("bulk") && i.Has("prefetch"):
	case i.Op == "cp" && i.Has("bulk"):
		c.bulk(i)
	case i.Op == "cp" && i.Has("async"):
		in := blank(opCopy)
		in.sub, in.flags = uint8(order.CpAsync), toShared
		c.addresses(&in, i, 0, 1)
		in.b = c.input(i, 2)
		c.add(in, i)
	case (i.Op == "st" || i.Op == "red") && i.Has("async"):
		c.remote(i)
	case i.Op == "wgmma" && (i.Has("commit_group") || i.Has("wait_group")):
		c.groups(i, order.Wgmma)
	case i.Op == "wgmma" && i.Has("fence"), i.Op == "tcgen05" && (i.Modifiers[0] == "fence" || i.Modifiers[0] == "wait"):
	case i.Op == "tcgen05" && i.Modifiers[0] == "commit":
		in := blank(opArriveDone)
		in.a, in.offset = c.memory(i, 0)
		in.sub, in.flags = uint8(order.Tensor), noInc
		if len(i.Operands) > 1 {
			in.b, in.flags = c.input(i, 1), in.flags|multicast
		}
		c.add(in, i)
	case i.Op == "wgmma", i.Op == "tcgen05" && (i.Has("mma") || i.Has("cp") || i.Has("alloc")):
		c.outside(i)
	case i.Op == "tcgen05":
		c.forget(i)
	case i.Op == "clusterlaunchcontrol" && i.Has("try_cancel"):
		in := blank(opCopy)
		in.flags = toShared
		c.addresses(&in, i, 0, -1, 1)
		in.b = operand{reg: -1, imm: 16}
		if strings.Contains(spelled(i), "multicast") {
			c.stop(i, spelled(i)+" is not modelled")
			return true
		}
		c.add(in, i)
	default:
		return false
	}
	return true
}

// addresses sets which operands are the destination, the source and the mbarrier; -1 for none.
func (c *compiler) addresses(in *inst, i *program.Instr, at ...int) {
	in.extra = &extra{operands: []operand{none, none, none, none}, offsets: make([]int64, 4)}
	for n, k := range at {
		if k >= 0 {
			in.extra.operands[n], in.extra.offsets[n] = c.memory(i, k)
		}
	}
}

func (c *compiler) groups(i *program.Instr, unit order.Unit) {
	if unit == order.Wgmma { // .sync.aligned (PTX ISA 9.7.15.7)
		together := blank(opMeet)
		together.flags, together.members = meets, operand{reg: -1, imm: -1}
		c.add(together, i)
	}
	in := blank(opCommit)
	in.sub = uint8(unit)
	if !i.Has("commit_group") {
		in.op = opWaitGroup
		in.a = operand{reg: -1}
		if i.Has("wait_group") {
			in.a = c.input(i, 0)
		}
		if i.Has("read") {
			in.flags |= reads
		}
	}
	if i.Has("wait_all") { // commits first (PTX ISA 9.7.9.25.3.3)
		first := blank(opCommit)
		first.sub = uint8(unit)
		c.add(first, i)
	}
	c.add(in, i)
}

// bulk compiles cp.async.bulk and cp.reduce.async.bulk, tensors among them.
func (c *compiler) bulk(i *program.Instr) {
	if i.Has("commit_group") || i.Has("wait_group") {
		c.groups(i, order.Bulk)
		return
	}
	in := blank(opCopy)
	in.sub = uint8(order.Bulk)
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
		in.flags |= toShared
	}
	if src == "shared" {
		in.flags |= fromShared
	}
	if i.Has("multicast::cluster") {
		in.flags |= multicast
	}
	bytes := 2
	if i.Has("tensor") {
		in.flags |= tensor
		bytes = -1
	}
	next := 2 + min(bytes, 0) + 1
	mbar := -1
	if i.Has("mbarrier::complete_tx::bytes") {
		mbar = next
		next++
	}
	c.addresses(&in, i, 0, 1, mbar)
	in.b = operand{reg: -1}
	if bytes > 0 {
		in.b = c.input(i, bytes)
	}
	if in.flags&multicast != 0 { // im2col offsets may stand before the mask
		for next < len(i.Operands) && len(i.Operands[next].Vector) > 0 {
			next++
		}
		in.extra.operands[3] = c.input(i, next)
	}
	c.add(in, i)
}

// remote compiles st.async and red.async: [a], value, [mbar] (PTX ISA 9.7.9.12, 9.7.13.7).
func (c *compiler) remote(i *program.Instr) {
	in := blank(opCopy)
	in.flags = toShared
	if i.Op == "red" {
		in.flags |= complete // atomic
	}
	ts := types(i)
	n := int64(1)
	for _, m := range i.Modifiers {
		if k := map[string]int64{"v2": 2, "v4": 4}[m]; k != 0 {
			n = k
		}
	}
	in.b = operand{reg: -1}
	if len(ts) > 0 {
		in.b.imm = n * int64(ts[len(ts)-1].bits) / 8
	}
	c.addresses(&in, i, 0, -1, 2)
	if len(i.Operands) < 3 {
		in.extra.operands[2] = none
	}
	c.add(in, i)
}
