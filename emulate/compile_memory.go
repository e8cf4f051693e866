package emulate

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/ptx"
)

// spaceOf finds the state space among the modifiers.
func spaceOf(i *program.Instr) space {
	for _, m := range i.Modifiers {
		base, _, _ := strings.Cut(m, "::")
		switch base {
		case "shared":
			return sharedMemory
		case "global":
			return globalMemory
		case "const":
			return constMemory
		case "local":
			return localMemory
		case "param":
			return paramMemory
		}
	}
	return generic
}

// memoryAccess compiles loads, stores and atomics (PTX ISA 9.7.9, 9.7.13.5).
func (c *compiler) memoryAccess(i *program.Instr) bool {
	switch i.Op {
	case "ld", "ldu", "st":
		if i.Has("async") || i.Has("bulk") {
			return false
		}
		c.loadStore(i)
	case "atom", "red":
		if i.Has("async") {
			return false
		}
		c.atomic(i)
	case "ldmatrix", "stmatrix":
		c.matrix(i)
	case "alloca", "stacksave", "tensormap", "multimem", "mma", "wmma":
		if i.Op == "wmma" && (i.Has("load") || i.Has("store")) && spaceOf(i) != globalMemory {
			c.outside(i)
			return true
		}
		c.forget(i)
	default:
		return false
	}
	return true
}

func (c *compiler) loadStore(i *program.Instr) {
	ts := types(i)
	if len(ts) == 0 || len(i.Operands) < 2 {
		c.forget(i)
		return
	}
	t := ts[len(ts)-1]
	vec := int64(1)
	for _, m := range i.Modifiers {
		if n := map[string]int64{"v2": 2, "v4": 4, "v8": 8}[m]; n != 0 {
			vec = n
		}
	}
	sp := spaceOf(i)
	if sp == paramMemory {
		c.parameters(i, i.Op != "st", vec, t)
		return
	}
	in := blank(opLoad)
	in.t, in.u, in.space, in.size = t, t, sp, uint32(int64(t.bits)/8*vec)
	if i.Has("volatile") || i.Has("relaxed") || i.Has("acquire") || i.Has("mmio") {
		in.flags |= changes
	}
	k := 1
	if i.Op == "st" {
		in.op, k = opStore, 0
	}
	in.a, in.offset = c.memory(i, k)
	value := term(i, 1-k)
	parts := value.Parts
	if value.Kind != ptx.Vector || len(parts) == 0 {
		parts = []ptx.Term{value}
	}
	if in.op == opStore {
		in.b = c.operand(parts[0])
	} else {
		in.d = c.output(parts[0])
	}
	if len(parts) > 1 {
		in.extra = &extra{}
		for _, p := range parts[1:] {
			if in.op == opStore {
				in.extra.operands = append(in.extra.operands, c.operand(p))
			} else {
				in.extra.dests = append(in.extra.dests, c.output(p))
			}
		}
	}
	c.add(in, i)
}

func (c *compiler) atomic(i *program.Instr) {
	ts := types(i)
	in := blank(opAtomic)
	in.space = spaceOf(i)
	k := 0
	if i.Op == "atom" {
		k = 1
		in.d = c.output(term(i, 0))
	}
	in.a, in.offset = c.memory(i, k)
	if len(ts) > 0 {
		in.t = ts[len(ts)-1]
		in.size = uint32(in.t.bits) / 8
	}
	c.add(in, i)
}

// matrix compiles ldmatrix and stmatrix: lanes 0 to 8n-1 give the addresses of rows of 16 bytes (PTX ISA 9.7.14.5.15).
func (c *compiler) matrix(i *program.Instr) {
	in := blank(opMatrix)
	n := uint8(1)
	for _, m := range i.Modifiers {
		if k := map[string]uint8{"x2": 2, "x4": 4}[m]; k != 0 {
			n = k
		}
	}
	if n == 0 || i.Has("m16n16") || i.Has("m8n16") || i.Has("m16n8") {
		c.outside(i)
		return
	}
	in.sub, in.size, in.space = 8*n, 16, sharedMemory
	if i.Op == "stmatrix" {
		in.flags |= write
		in.a, in.offset = c.memory(i, 0)
		c.add(in, i)
		return
	}
	c.forget(i)
	in.a, in.offset = c.memory(i, 1)
	c.add(in, i)
}

// outside compiles an instruction that accesses shared memory at places that are not followed.
func (c *compiler) outside(i *program.Instr) {
	c.forget(i)
	in := blank(opOutside)
	in.extra = &extra{text: spelled(i)}
	c.add(in, i)
}

// lanes compiles what goes on between the lanes of a warp (PTX ISA 9.7.9.6, 9.7.13).
func (c *compiler) lanes(i *program.Instr) bool {
	in := blank(opNothing)
	to := term(i, 0)
	in.d = c.output(to)
	if to.Kind == ptx.Pair && len(to.Parts) == 2 {
		in.e = c.predOut(to.Parts[1])
	}
	switch i.Op {
	case "shfl":
		in.op = opShuffle
		if i.Has("sync") {
			in.flags, in.members = in.flags|meets, c.input(i, 4)
		}
		for k, m := range []string{"up", "down", "bfly", "idx"} {
			if i.Has(m) {
				in.sub = uint8(k)
			}
		}
		in.a, in.b, in.c = c.input(i, 1), c.input(i, 2), c.input(i, 3)
	case "vote":
		in.op = opVote
		for k, m := range []string{"all", "any", "uni", "ballot"} {
			if i.Has(m) {
				in.sub = uint8(k)
			}
		}
		if !i.Has("ballot") {
			in.d, in.e = -1, c.predOut(to)
		}
		in.a = c.pred(term(i, 1))
		in.b = operand{reg: -1, imm: -1}
		if i.Has("sync") {
			in.b = c.input(i, 2)
			in.flags, in.members = in.flags|meets, in.b
		}
	case "activemask":
		in.op, in.sub = opVote, 3
		in.a, in.b = operand{reg: -1, imm: 1}, operand{reg: -1, imm: -1}
	case "elect":
		in.op, in.a, in.flags = opElect, c.input(i, 1), meets
		in.members = in.a
		c.assume("elect.sync elects the lowest lane of its mask")
	case "match", "redux":
		c.forget(i)
		in = blank(opMeet)
		in.flags, in.members = meets, c.input(i, 2)
	case "mapa":
		in.op, in.a, in.b = opMapa, c.input(i, 1), c.input(i, 2)
		if term(i, 1).Kind == ptx.Address {
			in.a, in.offset = c.memory(i, 1)
		}
		if spaceOf(i) == generic {
			in.offset -= sharedSpace
			in.flags |= toShared
		}
	case "getctarank":
		in.op, in.a = opRank, c.input(i, 1)
	default:
		return false
	}
	c.add(in, i)
	return true
}
