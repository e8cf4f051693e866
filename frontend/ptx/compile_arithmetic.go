package ptx

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/ptx"
)

// binaries are instructions d, a, b of integers (PTX ISA 9.7.1, 9.7.8).
var binaries = map[string]ir.Op{"add": ir.Add, "sub": ir.Sub, "mul": ir.Mul, "mul24": ir.Mul, "div": ir.Div, "rem": ir.Rem, "min": ir.Min, "max": ir.Max,
	"and": ir.And, "or": ir.Or, "xor": ir.Xor, "shl": ir.Shl, "shr": ir.Shr, "bfe": ir.Bfe, "sad": ir.Sad, "mad": ir.Mad, "mad24": ir.Mad,
	"bfi": ir.Bfi, "prmt": ir.Prmt, "lop3": ir.Lop3, "shf": ir.FunnelLeft}

// unaries are instructions d, a.
var unaries = map[string]ir.Op{"abs": ir.Abs, "neg": ir.Neg, "not": ir.Not, "cnot": ir.Cnot, "bfind": ir.Bfind, "popc": ir.Popc, "clz": ir.Clz,
	"brev": ir.Brev, "mov": ir.Move}

// arithmetic compiles integer arithmetic; that of other types gives data.
func (c *compiler) arithmetic(i *program.Instr) bool {
	ts := types(i)
	op, two := binaries[i.Op]
	one := false
	if !two {
		op, one = unaries[i.Op]
	}
	switch {
	case i.Op == "cvt" || i.Op == "cvta":
		c.convert(i, ts)
		return true
	case i.Op == "selp", i.Op == "set":
		c.choose(i, ts)
		return true
	case !one && !two || len(ts) == 0 || ts[0].Bits == 1:
		return false
	}
	if i.Op == "mov" && (len(term(i, 0).Parts) > 0 || len(term(i, 1).Parts) > 0) {
		c.vector(i, ts[0])
		return true
	}
	t := ts[0]
	if t.Bits > 64 || t.Data && i.Op != "mov" || strings.HasSuffix(i.Op, "24") || i.Has("cc") || i.Has("sat") || packed(i) {
		c.forget(i)
		return true
	}
	in := ir.Blank(op)
	in.Type, in.Result = t, t
	in.D = c.output(term(i, 0))
	in.A, in.B, in.C = c.input(i, 1), c.input(i, 2), c.input(i, 3)
	if one {
		in.B, in.C = ir.None, ir.None
	}
	c.variant(i, &in)
	if in.Op == ir.Havoc {
		in.Type, in.Result = ir.Type{}, ir.Type{}
	}
	c.add(in, i)
	return true
}

// packed tells SIMD forms: add.u16x2.
func packed(i *program.Instr) bool {
	for _, m := range i.Modifiers {
		if strings.HasSuffix(m, "x2") || strings.HasSuffix(m, "x4") {
			return true
		}
	}
	return false
}

// variant sets what modifiers change in an arithmetic instruction.
func (c *compiler) variant(i *program.Instr, in *ir.Inst) {
	switch {
	case i.Op == "mul" && i.Has("hi"):
		in.Op = ir.MulHigh
	case i.Op == "mad" && i.Has("hi"):
		in.Op = ir.MadHigh
	case (i.Op == "mul" || i.Op == "mad") && i.Has("wide"):
		in.Op = map[string]ir.Op{"mul": ir.MulWide, "mad": ir.MadWide}[i.Op]
		in.Result = ir.Type{Bits: 2 * in.Type.Bits, Signed: in.Type.Signed}
	case i.Op == "shf":
		if i.Has("r") {
			in.Op = ir.FunnelRight
		}
		if i.Has("clamp") {
			in.Mode = 1
		}
	case i.Op == "bfind" && i.Has("shiftamt"):
		in.Mode = 1
	case i.Op == "bfi": // f, a, b, c, d: four operands
		in.Extra = &ir.Extra{Operands: []ir.Operand{c.input(i, 4)}}
	case i.Op == "lop3":
		t := term(i, 0)
		in.Extra = &ir.Extra{Operands: []ir.Operand{c.input(i, 4)}}
		if t.Kind == ptx.Pair {
			in.Op, in.Extra = ir.Havoc, nil
			if len(t.Parts) > 1 {
				in.E = c.predOut(t.Parts[1])
			}
		}
	case i.Op == "prmt" && len(i.Modifiers) > 1:
		in.Op = ir.Havoc
	case i.Op == "popc" || i.Op == "clz" || i.Op == "bfind":
		in.Result = ir.Type{Bits: 32}
	}
}

// Convert compiles cvt and cvta.
func (c *compiler) convert(i *program.Instr, ts []ir.Type) {
	in := ir.Blank(ir.Convert)
	in.D, in.A = c.output(term(i, 0)), c.input(i, 1)
	switch {
	case i.Op == "cvta":
		// cvta.shared makes a generic address, cvta.to.shared the contrary; of global addresses both are the same.
		in.Op, in.Type, in.B = ir.Add, ir.Type{Bits: 64}, ir.Operand{Reg: -1}
		in.Result = in.Type
		for _, m := range i.Modifiers {
			base, _, _ := strings.Cut(m, "::")
			in.B.Imm += map[string]int64{"shared": ir.SharedWindow, "const": ir.ConstWindow, "local": ir.LocalWindow}[base]
		}
		if i.Has("to") {
			in.B.Imm = -in.B.Imm
		}
	case len(ts) != 2 || ts[0].Data || ts[1].Data || ts[0].Bits > 64 || i.Has("sat") || i.Has("pack"):
		c.forget(i)
		return
	default:
		in.Result, in.Type = ts[0], ts[1]
	}
	c.add(in, i)
}

// vector compiles mov between a register and its parts: mov.b64 d, {a, b} and mov.b64 {a, b}, d.
func (c *compiler) vector(i *program.Instr, t ir.Type) {
	to, from := term(i, 0), term(i, 1)
	parts := len(from.Parts)
	if to.Kind == ptx.Vector {
		parts = len(to.Parts)
	}
	if (to.Kind == ptx.Vector) == (from.Kind == ptx.Vector) || parts == 0 || t.Bits > 64 || int(t.Bits)/parts < 8 {
		c.forget(i)
		return
	}
	if to.Kind == ptx.Vector {
		in := ir.Blank(ir.Unpack)
		in.A, in.Type, in.Extra = c.operand(from), ir.Type{Bits: t.Bits / uint8(len(to.Parts))}, &ir.Extra{}
		for _, p := range to.Parts {
			in.Extra.Dests = append(in.Extra.Dests, c.output(p))
		}
		c.add(in, i)
		return
	}
	in := ir.Blank(ir.Pack)
	in.D, in.Type, in.Result, in.Extra = c.output(to), ir.Type{Bits: t.Bits / uint8(len(from.Parts))}, t, &ir.Extra{}
	for _, p := range from.Parts {
		in.Extra.Operands = append(in.Extra.Operands, c.operand(p))
	}
	c.add(in, i)
}

// choose compiles selp and set.
func (c *compiler) choose(i *program.Instr, ts []ir.Type) {
	in := ir.Blank(ir.Select)
	if len(ts) == 0 {
		c.forget(i)
		return
	}
	if i.Op == "selp" && ts[0].Bits == 1 {
		c.forget(i)
		return
	}
	in.Type, in.Result = ts[0], ts[0]
	in.D, in.A, in.B = c.output(term(i, 0)), c.input(i, 1), c.input(i, 2)
	if i.Op == "selp" {
		in.C = c.pred(term(i, 3))
		c.add(in, i)
		return
	}
	in.Op = ir.Set
	in.Mode, in.Result = comparison(i), ts[len(ts)-1]
	in.Type, in.Result = in.Result, ts[0]
	if in.Mode == 0 || in.Type.Data || in.Result.Data || len(i.Operands) > 3 {
		c.forget(i)
		return
	}
	c.add(in, i)
}

var comparisons = map[string]uint8{"eq": ir.Equal, "ne": ir.NotEqual, "lt": ir.Less, "le": ir.LessEqual, "gt": ir.Greater, "ge": ir.GreaterEqual,
	"lo": ir.Less, "ls": ir.LessEqual, "hi": ir.Greater, "hs": ir.GreaterEqual}

func comparison(i *program.Instr) uint8 {
	for _, m := range i.Modifiers {
		if n := comparisons[m]; n != 0 {
			return n
		}
	}
	return 0
}

var joins = map[string]uint8{"and": ir.JoinAnd, "or": ir.JoinOr, "xor": ir.JoinXor, "not": ir.JoinNot, "mov": ir.JoinMove}

// predicates compiles setp and the logic of predicates (PTX ISA 9.7.5, 9.7.8).
func (c *compiler) predicates(i *program.Instr) bool {
	ts := types(i)
	switch {
	case i.Op == "setp":
		c.compare(i, ts)
	case i.Op == "isspacep" && len(i.Modifiers) > 0:
		in := ir.Blank(ir.IsSpace)
		in.D, in.A = c.predOut(term(i, 0)), c.input(i, 1)
		in.Extra = &ir.Extra{Text: i.Modifiers[len(i.Modifiers)-1]}
		c.add(in, i)
	case joins[i.Op] != 0 && len(ts) == 1 && ts[0].Bits == 1:
		in := ir.Blank(ir.Logic)
		in.Mode = joins[i.Op]
		in.D, in.A = c.predOut(term(i, 0)), c.pred(term(i, 1))
		if in.Mode < ir.JoinNot {
			in.B = c.pred(term(i, 2))
		}
		c.add(in, i)
	default:
		return false
	}
	return true
}

func (c *compiler) compare(i *program.Instr, ts []ir.Type) {
	in := ir.Blank(ir.Setp)
	to := term(i, 0)
	if to.Kind == ptx.Pair && len(to.Parts) == 2 {
		in.D, in.E = c.predOut(to.Parts[0]), c.predOut(to.Parts[1])
	} else {
		in.D = c.predOut(to)
	}
	in.Mode = comparison(i)
	if len(ts) > 0 {
		in.Type = ts[0]
	}
	in.A, in.B = c.input(i, 1), c.input(i, 2)
	if len(i.Operands) > 3 {
		in.C = c.pred(term(i, 3))
		for _, m := range i.Modifiers {
			if j := joins[m]; j != 0 && j < ir.JoinNot {
				in.Join = j
			}
		}
	}
	switch {
	case in.Type.Data && in.Mode != 0 && c.isGiven(in.A) && c.isGiven(in.B): // all threads have it alike
	case in.Type.Data || in.Mode == 0 || len(ts) == 0: // of data: the result is not known
		in.A, in.B, in.Mode = c.nowhere(), c.nowhere(), ir.Equal
	}
	c.add(in, i)
}

// isGiven reports whether an operand is a number, or what the kernel is given as a parameter.
func (c *compiler) isGiven(o ir.Operand) bool {
	if o.Reg < 0 {
		return o != ir.None
	}
	if c.inline != nil { // operands are data that the kernel has computed
		return false
	}
	set := -1
	for k := range c.code.Insts {
		if registers, _ := c.code.Insts[k].Results(); slices.Contains(registers, o.Reg) {
			if set >= 0 {
				return false
			}
			set = k
		}
	}
	if set < 0 || c.code.Insts[set].Op != ir.Move {
		return false
	}
	return slices.ContainsFunc(c.code.Slots, func(s ir.Parameter) bool { return s.Register == c.code.Insts[set].A.Reg })
}
