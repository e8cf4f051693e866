package ptx

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/ptx"
)

// tensor compiles tcgen05 (PTX ISA 9.7.16), but for its fences. Pairs of CTAs, sparse matrices, .ws and block scales are not followed.
func (c *compiler) tensor(i *program.Instr) {
	single := !i.Has("cta_group::2")
	switch word := i.Modifiers[0]; {
	case word == "commit":
		in := ir.Blank(ir.AsyncArrive)
		in.A, in.Offset = c.memory(i, 0)
		in.Space = spaceOf(i)
		in.Mode, in.Flags = uint8(ir.TensorCore), ir.NoInc
		if len(i.Operands) > 1 {
			in.B, in.Flags = c.input(i, 1), in.Flags|ir.Multicast
		}
		c.add(in, i)
	case word == "wait::ld":
		c.waitAll(i, ir.TensorLoads)
	case word == "wait::st":
		c.waitAll(i, ir.TensorStores)
	case word == "relinquish_alloc_permit":
		c.together(i)
		c.add(ir.Blank(ir.TensorRelinquish), i)
	case word == "alloc" && single:
		in := ir.Blank(ir.TensorAlloc)
		in.A, in.Offset = c.memory(i, 0)
		in.B, in.Space = c.input(i, 1), spaceOf(i)
		c.together(i) // other lanes know of the columns when the first one does, and not before
		c.add(in, i)
		c.together(i)
	case word == "dealloc" && single:
		in := ir.Blank(ir.TensorDealloc)
		in.A, in.B = c.input(i, 0), c.input(i, 1)
		c.together(i)
		c.add(in, i)
	case word == "ld", word == "st":
		c.tensorAccess(i)
	case word == "cp" && single:
		in := ir.Blank(ir.TensorCopy)
		in.A, in.Offset = c.memory(i, 0)
		in.B = c.input(i, 1)
		if !c.named(i, &in) {
			c.untracked(i)
			return
		}
		c.add(in, i)
	case word == "mma" && single && plain(i):
		c.multiply(i)
	default: // of these none has a result in registers
		c.untracked(i)
	}
}

// plain reports whether a multiplication is of none of the kinds that are not followed: .ws, sparse, with block scales, or with a part of
// A that comes from the collector buffer or is shifted.
func plain(i *program.Instr) bool {
	for _, m := range []string{"ws", "sp", "block_scale", "ashift", "collector::a::use", "collector::a::lastuse"} {
		if i.Has(m) {
			return false
		}
	}
	return true
}

// named sets the mode of an instruction to the one that a modifier names.
func (c *compiler) named(i *program.Instr, in *ir.Inst) bool {
	for _, m := range i.Modifiers {
		if n := ir.ModeOf(in.Op, strings.TrimPrefix(m, "kind::")); n >= 0 {
			in.Mode = uint8(n)
			return true
		}
	}
	return false
}

// together lets the lanes of a warp meet: .sync.aligned.
func (c *compiler) together(i *program.Instr) {
	in := ir.Blank(ir.Rendezvous)
	in.Flags, in.Members = ir.Meets, ir.Operand{Reg: -1, Imm: -1}
	c.add(in, i)
}

// waitAll waits for all loads, or all stores, of tensor memory that the thread has issued (PTX ISA 9.7.16.8.5).
func (c *compiler) waitAll(i *program.Instr, u ir.Unit) {
	c.together(i)
	in := ir.Blank(ir.GroupCommit)
	in.Mode = uint8(u)
	c.add(in, i)
	in.Op, in.A = ir.GroupWait, ir.Operand{Reg: -1}
	c.add(in, i)
}

// columnsOf are the columns of 32 bits that a shape takes, as often as .xN says (PTX ISA 9.7.16.2.3).
var columnsOf = map[string]uint32{"32x32b": 1, "16x64b": 2, "16x128b": 4, "16x256b": 8, "16x32bx2": 1}

// tensorAccess compiles tcgen05.ld and tcgen05.st: ld r, {reduced,} [addr] {, offset}; st [addr] {, offset}, r (PTX ISA 9.7.16.8.3,
// 9.7.16.8.4).
func (c *compiler) tensorAccess(i *program.Instr) {
	in, at := ir.Blank(ir.TensorLoad), 0
	if i.Modifiers[0] == "st" {
		in.Op = ir.TensorStore
	} else {
		c.forget(i)
	}
	for at < len(i.Operands)-1 && term(i, at).Kind != ptx.Address {
		at++
	}
	if i.Has("red") {
		reduced := ir.Blank(ir.Havoc)
		reduced.D = c.output(term(i, 1))
		c.add(reduced, i)
	}
	if !c.named(i, &in) || i.Has("red") {
		c.untracked(i)
		return
	}
	in.A, in.Offset = c.memory(i, at)
	in.Size = columnsOf[in.Named()]
	for _, m := range i.Modifiers {
		if n, err := strconv.ParseUint(strings.TrimPrefix(m, "x"), 10, 8); err == nil && m[0] == 'x' {
			in.Size *= uint32(n)
		}
	}
	if i.Has("pack::16b") || i.Has("unpack::16b") { // a register holds halves of two columns
		in.Size *= 2
	}
	if in.Named() == "16x32bx2" {
		in.B = c.input(i, at+1)
	}
	c.together(i)
	c.add(in, i)
}

// multiply compiles tcgen05.mma [d], a, b, descriptor {, lanes that stay} , whether to add to d (PTX ISA 9.7.16.10.9.1).
func (c *compiler) multiply(i *program.Instr) {
	in := ir.Blank(ir.TensorMultiply)
	if !c.named(i, &in) || len(i.Operands) < 4 {
		c.untracked(i)
		return
	}
	in.A, in.Offset = c.memory(i, 0)
	in.B, in.C = c.input(i, 1), c.input(i, 2)
	if a := term(i, 1); a.Kind == ptx.Address {
		in.Flags |= ir.AInTensor
		var offset int64
		if in.B, offset = c.memory(i, 1); offset != 0 {
			at := ir.Blank(ir.Add)
			at.Type, at.Result = ir.Type{Bits: 32}, ir.Type{Bits: 32}
			at.D, at.A, at.B = c.register(fmt.Sprintf("\x00column%d", len(c.code.Insts))), in.B, ir.Operand{Reg: -1, Imm: offset}
			c.add(at, i)
			in.B = ir.Operand{Reg: at.D}
		}
	}
	in.Extra = &ir.Extra{Operands: []ir.Operand{c.input(i, 3)}}
	if stay := term(i, 4); stay.Kind == ptx.Vector {
		for _, p := range stay.Parts {
			in.Extra.Operands = append(in.Extra.Operands, c.operand(p))
		}
	}
	c.add(in, i)
}

// warpgroup compiles wgmma.mma_async d, a, b, whether to add to d, signs, {whether a,} whether b is transposed (PTX ISA 9.7.15.5.2).
func (c *compiler) warpgroup(i *program.Instr) {
	in := ir.Blank(ir.WarpgroupMultiply)
	kinds := map[string]uint8{"f16": 1, "bf16": 1, "tf32": 2, "e4m3": 0, "e5m2": 0, "s8": 0, "u8": 0, "b1": 0}
	mode, ok := uint8(0), len(i.Modifiers) > 0 && i.Modifiers[0] == "mma_async" && !i.Has("sp") && len(i.Operands) > 3
	if ok { // the last type is that of B
		last := len(i.Modifiers) - 1
		if last > 0 && i.Modifiers[last] == "satfinite" {
			last--
		}
		mode, ok = kinds[i.Modifiers[last]]
	}
	for _, m := range i.Modifiers {
		if _, n, found := strings.Cut(strings.TrimPrefix(m, "m64"), "n"); found && strings.HasPrefix(m, "m64") {
			n, _, _ = strings.Cut(n, "k")
			size, err := strconv.ParseUint(n, 10, 16)
			in.Size = uint32(size)
			ok = ok && err == nil && size%8 == 0 && size > 0 && size <= 256
		}
	}
	if !ok || in.Size == 0 {
		c.outside(i)
		return
	}
	c.forget(i)
	in.Mode, in.B = mode, c.input(i, 2)
	transposed := []ir.Operand{{Reg: -1}, {Reg: -1}}
	next := 6
	if term(i, 1).Kind != ptx.Vector {
		in.A = c.input(i, 1)
		if mode == 1 && len(i.Operands) > next {
			transposed[0] = c.input(i, next)
		}
		next++
	}
	if mode == 1 && len(i.Operands) > next {
		transposed[1] = c.input(i, next)
	}
	in.Extra = &ir.Extra{Operands: transposed}
	c.together(i)
	c.add(in, i)
}
