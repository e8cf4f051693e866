package ptx

import (
	"fmt"
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/ptx"
)

// spaceOf finds the state space among the modifiers.
func spaceOf(i *program.Instr) ir.Space {
	for _, m := range i.Modifiers {
		base, _, _ := strings.Cut(m, "::")
		switch base {
		case "shared":
			return ir.Shared
		case "global":
			return ir.Global
		case "const":
			return ir.Const
		case "local":
			return ir.Local
		case "param":
			return ir.Param
		}
	}
	return ir.Generic
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
		if moves := i.Op == "wmma" && (i.Has("load") || i.Has("store")) && spaceOf(i) != ir.Global; moves && c.fragment(i) {
			return true
		} else if moves {
			c.outside(i)
			return true
		}
		c.forget(i)
		if i.Op == "multimem" && !i.Has("ld_reduce") { // to the memory of each GPU behind a multicast address
			in := ir.Blank(ir.Store)
			in.Type, in.Result, in.Size, in.Space = ir.Type{Bits: 32}, ir.Type{Bits: 32}, 4, ir.Global
			in.A, in.B = c.nowhere(), c.nowhere()
			c.add(in, i)
		}
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
	if sp == ir.Param {
		c.parameters(i, i.Op != "st", vec, t)
		return
	}
	in := ir.Blank(ir.Load)
	in.Type, in.Result, in.Space, in.Size = t, t, sp, uint32(int64(t.Bits)/8*vec)
	ordered(i, &in, ir.Weak, ir.NoScope)
	k := 1
	if i.Op == "st" {
		in.Op, k = ir.Store, 0
	} else if in.Order != ir.Weak {
		in.Flags |= ir.Changes
	}
	in.A, in.Offset = c.memory(i, k)
	value := term(i, 1-k)
	parts := value.Parts
	if value.Kind != ptx.Vector || len(parts) == 0 {
		parts = []ptx.Term{value}
	}
	if in.Op == ir.Store {
		in.B = c.operand(parts[0])
	} else {
		in.D = c.output(parts[0])
	}
	if len(parts) > 1 {
		in.Extra = &ir.Extra{}
		for _, p := range parts[1:] {
			if in.Op == ir.Store {
				in.Extra.Operands = append(in.Extra.Operands, c.operand(p))
			} else {
				in.Extra.Dests = append(in.Extra.Dests, c.output(p))
			}
		}
	}
	c.add(in, i)
}

// operations are those of atom and red, as the IR numbers them.
var operations = map[string]uint8{"add": 1, "and": 2, "or": 3, "xor": 4, "min": 5, "max": 6, "inc": 7, "dec": 8, "exch": 9, "cas": 10}

func atomically(i *program.Instr) string {
	for _, m := range i.Modifiers {
		if operations[m] != 0 {
			return m
		}
	}
	return ""
}

func (c *compiler) atomic(i *program.Instr) {
	ts := types(i)
	in := ir.Blank(ir.Atomic)
	in.Space = spaceOf(i)
	k := 0
	if i.Op == "atom" {
		k = 1
		in.D = c.output(term(i, 0))
	}
	in.A, in.Offset = c.memory(i, k)
	if len(ts) > 0 {
		in.Type = ts[len(ts)-1]
		in.Size = uint32(in.Type.Bits) / 8
	}
	in.Mode, in.B, in.C = operations[atomically(i)], c.input(i, k+1), c.input(i, k+2)
	ordered(i, &in, ir.Relaxed, ir.ScopeGPU)
	if term(i, k+1).Kind == ptx.Vector { // of data: its parts are not kept
		in.B, in.C = ir.None, ir.None
	}
	c.add(in, i)
}

// matrix compiles ldmatrix and stmatrix: lanes 0 to 8n-1 give the addresses of rows of 16 bytes (PTX ISA 9.7.14.5.15).
func (c *compiler) matrix(i *program.Instr) {
	in := ir.Blank(ir.Matrix)
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
	in.Mode, in.Size, in.Space = 8*n, 16, ir.Shared
	if i.Op == "stmatrix" {
		in.Flags |= ir.Write
		in.A, in.Offset = c.memory(i, 0)
		c.add(in, i)
		return
	}
	c.forget(i)
	in.A, in.Offset = c.memory(i, 1)
	c.add(in, i)
}

// fragments are the rows and columns of the matrices of wmma, by shape: m, n and k (PTX ISA 9.7.15.4.1).
var fragments = map[string][3]int{"m16n16k16": {16, 16, 16}, "m32n8k16": {32, 8, 16}, "m8n32k16": {8, 32, 16}, "m16n16k8": {16, 16, 8}, "m8n8k4": {8, 8, 4}}

// fragment compiles wmma.load and wmma.store: a matrix whose rows, or columns, lie one behind the other with a stride, which counts elements (PTX ISA 9.7.15.4.3).
// Which lane accesses what is not said there, so each row is read by two of them: no lane's own write is taken for ordered with all that
// read it. Those of an accumulator are of one lane, which is not the one that comes to mind: it has the same elements where it is loaded and stored.
func (c *compiler) fragment(i *program.Instr) bool {
	var shape [3]int
	for _, m := range i.Modifiers {
		if s, ok := fragments[m]; ok {
			shape = s
		}
	}
	ts := types(i)
	if shape[0] == 0 || len(ts) == 0 || len(i.Operands) < 2 {
		return false
	}
	rows, columns := shape[0], shape[1]
	switch {
	case i.Has("a"):
		columns = shape[2]
	case i.Has("b"):
		rows = shape[2]
	}
	if i.Has("col") {
		rows, columns = columns, rows
	}
	element := int64(ts[len(ts)-1].Bits) / 8
	if element == 0 {
		return false
	}
	address, first := 1, 1
	if i.Has("a") || i.Has("b") {
		first = 0
	}
	if i.Has("store") {
		address = 0
	} else {
		c.forget(i)
	}
	base, offset := c.memory(i, address)
	temporary := func(in ir.Inst, t ir.Type) ir.Operand {
		in.D, in.Type, in.Result = c.register(fmt.Sprintf("\x00row%d", len(c.code.Insts))), t, t
		if in.Op == ir.MadWide {
			in.Result.Bits = 64
		}
		c.add(in, i)
		return ir.Operand{Reg: in.D}
	}
	word := ir.Type{Bits: 32}
	pitch := ir.Operand{Reg: -1, Imm: int64(columns) * element}
	if len(i.Operands) > 2 {
		stride := ir.Blank(ir.Mul)
		stride.A, stride.B = c.input(i, 2), ir.Operand{Reg: -1, Imm: element}
		pitch = temporary(stride, word)
	}
	row := ir.Operand{Reg: c.register("%laneid")}
	for turn := first; turn < 2; turn++ {
		if turn > 0 {
			next, within := ir.Blank(ir.Add), ir.Blank(ir.And)
			next.A, next.B = row, ir.Operand{Reg: -1, Imm: 1}
			within.A, within.B = temporary(next, word), ir.Operand{Reg: -1, Imm: int64(rows - 1)}
			row = temporary(within, word)
		}
		at := ir.Blank(ir.Mad)
		if spaceOf(i) == ir.Generic {
			at.Op = ir.MadWide
		}
		at.A, at.B, at.C = row, pitch, base
		in := ir.Blank(ir.Matrix)
		in.A, in.Offset = temporary(at, word), offset
		in.Mode, in.Size, in.Space = uint8(rows), uint32(int64(columns)*element), spaceOf(i)
		if i.Has("store") {
			in.Flags |= ir.Write
		}
		c.add(in, i)
	}
	return true
}

// outside compiles an instruction that accesses shared memory at places that are not followed.
func (c *compiler) outside(i *program.Instr) {
	c.forget(i)
	c.untracked(i)
}

// untracked compiles one of those that has no results, or whose results are compiled already.
func (c *compiler) untracked(i *program.Instr) {
	in := ir.Blank(ir.Outside)
	in.Extra = ir.Because(limit.Operation.Says(spelled(i) + " accesses memory in a way that is not followed"))
	c.add(in, i)
}

// Lanes compiles what goes on between the lanes of a warp (PTX ISA 9.7.9.6, 9.7.13).
func (c *compiler) lanes(i *program.Instr) bool {
	switch i.Op {
	case "shfl", "vote", "activemask", "elect", "match", "redux", "mapa", "getctarank":
	case "movmatrix": // a transposed matrix, of data (PTX ISA 9.7.14.5.17)
		c.together(i)
		c.forget(i)
		return true
	default:
		return false
	}
	in := ir.Blank(ir.Nop)
	to := term(i, 0)
	if i.Op != "vote" || i.Has("ballot") {
		in.D = c.output(to)
	}
	if to.Kind == ptx.Pair && len(to.Parts) == 2 {
		in.E = c.predOut(to.Parts[1])
	}
	switch i.Op {
	case "shfl":
		in.Op = ir.Shuffle
		if i.Has("sync") {
			in.Flags, in.Members = in.Flags|ir.Meets, c.input(i, 4)
		}
		for k, m := range []string{"up", "down", "bfly", "idx"} {
			if i.Has(m) {
				in.Mode = uint8(k)
			}
		}
		in.A, in.B, in.C = c.input(i, 1), c.input(i, 2), c.input(i, 3)
	case "vote":
		in.Op = ir.Vote
		for k, m := range []string{"all", "any", "uni", "ballot"} {
			if i.Has(m) {
				in.Mode = uint8(k)
			}
		}
		if !i.Has("ballot") {
			in.E = c.predOut(to)
		}
		in.A = c.pred(term(i, 1))
		in.B = ir.Operand{Reg: -1, Imm: -1}
		if i.Has("sync") {
			in.B = c.input(i, 2)
			in.Flags, in.Members = in.Flags|ir.Meets, in.B
		}
	case "activemask":
		in.Op, in.Mode = ir.Vote, 3
		in.A, in.B = ir.Operand{Reg: -1, Imm: 1}, ir.Operand{Reg: -1, Imm: -1}
	case "elect":
		in.Op, in.A, in.Flags = ir.Elect, c.input(i, 1), ir.Meets
		in.Members = in.A
		c.assume("elect.sync elects the lowest lane of its mask")
	case "match", "redux":
		c.forget(i)
		in = ir.Blank(ir.Rendezvous)
		in.Flags, in.Members = ir.Meets, c.input(i, 2)
	case "mapa":
		in.Op, in.A, in.B = ir.MapShared, c.input(i, 1), c.input(i, 2)
		if term(i, 1).Kind == ptx.Address {
			in.A, in.Offset = c.memory(i, 1)
		}
		if spaceOf(i) == ir.Generic {
			in.Offset -= ir.SharedWindow
			in.Flags |= ir.ToShared
		}
	case "getctarank":
		in.Op, in.A = ir.CTARank, c.input(i, 1)
	}
	c.add(in, i)
	return true
}
