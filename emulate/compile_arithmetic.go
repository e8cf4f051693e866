package emulate

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/ptx"
)

// binaries are instructions d, a, b of integers (PTX ISA 9.7.1, 9.7.8).
var binaries = map[string]opcode{"add": opAdd, "sub": opSub, "mul": opMul, "mul24": opMul, "div": opDiv, "rem": opRem, "min": opMin, "max": opMax,
	"and": opAnd, "or": opOr, "xor": opXor, "shl": opShl, "shr": opShr, "bfe": opBfe, "sad": opSad, "mad": opMad, "mad24": opMad,
	"bfi": opBfi, "prmt": opPrmt, "lop3": opLop3, "shf": opFunnelLeft}

// unaries are instructions d, a.
var unaries = map[string]opcode{"abs": opAbs, "neg": opNeg, "not": opNot, "cnot": opCnot, "bfind": opBfind, "popc": opPopc, "clz": opClz,
	"brev": opBrev, "mov": opMove}

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
	case !one && !two || len(ts) == 0 || ts[0].bits == 1:
		return false
	}
	if i.Op == "mov" && (len(term(i, 0).Parts) > 0 || len(term(i, 1).Parts) > 0) {
		c.vector(i, ts[0])
		return true
	}
	t := ts[0]
	if t.bits > 64 || t.data && i.Op != "mov" || strings.HasSuffix(i.Op, "24") || i.Has("cc") || i.Has("sat") || packed(i) {
		c.forget(i)
		return true
	}
	in := blank(op)
	in.t, in.u = t, t
	in.d = c.output(term(i, 0))
	in.a, in.b, in.c = c.input(i, 1), c.input(i, 2), c.input(i, 3)
	if one {
		in.b, in.c = none, none
	}
	c.variant(i, &in)
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
func (c *compiler) variant(i *program.Instr, in *inst) {
	switch {
	case i.Op == "mul" && i.Has("hi"):
		in.op = opMulHigh
	case i.Op == "mad" && i.Has("hi"):
		in.op = opMadHigh
	case (i.Op == "mul" || i.Op == "mad") && i.Has("wide"):
		in.op = map[string]opcode{"mul": opMulWide, "mad": opMadWide}[i.Op]
		in.u = typ{bits: 2 * in.t.bits, signed: in.t.signed}
	case i.Op == "shf":
		if i.Has("r") {
			in.op = opFunnelRight
		}
		if i.Has("clamp") {
			in.sub = 1
		}
	case i.Op == "bfind" && i.Has("shiftamt"):
		in.sub = 1
	case i.Op == "bfi": // f, a, b, c, d: four operands
		in.extra = &extra{operands: []operand{c.input(i, 4)}}
	case i.Op == "lop3":
		t := term(i, 0)
		in.extra = &extra{operands: []operand{c.input(i, 4)}}
		if t.Kind == ptx.Pair {
			in.op, in.extra = opForget, nil
			if len(t.Parts) > 1 {
				in.e = c.predOut(t.Parts[1])
			}
		}
	case i.Op == "prmt" && len(i.Modifiers) > 1:
		in.op = opForget
	case i.Op == "popc" || i.Op == "clz" || i.Op == "bfind":
		in.u = typ{bits: 32}
	}
}

// convert compiles cvt and cvta.
func (c *compiler) convert(i *program.Instr, ts []typ) {
	in := blank(opConvert)
	in.d, in.a = c.output(term(i, 0)), c.input(i, 1)
	switch {
	case i.Op == "cvta":
		// cvta.shared makes a generic address, cvta.to.shared the contrary; of global addresses both are the same.
		in.op, in.t, in.b = opAdd, typ{bits: 64}, operand{reg: -1}
		in.u = in.t
		for _, m := range i.Modifiers {
			base, _, _ := strings.Cut(m, "::")
			in.b.imm += map[string]int64{"shared": sharedSpace, "const": constSpace, "local": localSpace}[base]
		}
		if i.Has("to") {
			in.b.imm = -in.b.imm
		}
	case len(ts) != 2 || ts[0].data || ts[1].data || ts[0].bits > 64 || i.Has("sat") || i.Has("pack"):
		c.forget(i)
		return
	default:
		in.u, in.t = ts[0], ts[1]
	}
	c.add(in, i)
}

// vector compiles mov between a register and its parts: mov.b64 d, {a, b} and mov.b64 {a, b}, d.
func (c *compiler) vector(i *program.Instr, t typ) {
	to, from := term(i, 0), term(i, 1)
	parts := len(to.Parts) + len(from.Parts)
	if (to.Kind == ptx.Vector) == (from.Kind == ptx.Vector) || parts == 0 || t.bits > 64 || int(t.bits)/parts < 8 {
		c.forget(i)
		return
	}
	if to.Kind == ptx.Vector {
		in := blank(opUnpack)
		in.a, in.t, in.extra = c.operand(from), typ{bits: t.bits / uint8(len(to.Parts))}, &extra{}
		for _, p := range to.Parts {
			in.extra.dests = append(in.extra.dests, c.output(p))
		}
		c.add(in, i)
		return
	}
	in := blank(opPack)
	in.d, in.t, in.u, in.extra = c.output(to), typ{bits: t.bits / uint8(len(from.Parts))}, t, &extra{}
	for _, p := range from.Parts {
		in.extra.operands = append(in.extra.operands, c.operand(p))
	}
	c.add(in, i)
}

// choose compiles selp and set.
func (c *compiler) choose(i *program.Instr, ts []typ) {
	in := blank(opSelect)
	if len(ts) == 0 {
		c.forget(i)
		return
	}
	if i.Op == "selp" && ts[0].bits == 1 {
		c.forget(i)
		return
	}
	in.t, in.u = ts[0], ts[0]
	in.d, in.a, in.b = c.output(term(i, 0)), c.input(i, 1), c.input(i, 2)
	if i.Op == "selp" {
		in.c = c.pred(term(i, 3))
		c.add(in, i)
		return
	}
	in.op = opSet
	in.sub, in.u = comparison(i), ts[len(ts)-1]
	in.t, in.u = in.u, ts[0]
	if in.sub == 0 || in.t.data || in.u.data || len(i.Operands) > 3 {
		c.forget(i)
		return
	}
	c.add(in, i)
}

// Comparisons of setp and set.
const (
	equal uint8 = iota + 1
	notEqual
	less
	lessEqual
	greater
	greaterEqual
)

var comparisons = map[string]uint8{"eq": equal, "ne": notEqual, "lt": less, "le": lessEqual, "gt": greater, "ge": greaterEqual,
	"lo": less, "ls": lessEqual, "hi": greater, "hs": greaterEqual}

func comparison(i *program.Instr) uint8 {
	for _, m := range i.Modifiers {
		if n := comparisons[m]; n != 0 {
			return n
		}
	}
	return 0
}

// Ways to join predicates.
const (
	joinAnd uint8 = iota + 1
	joinOr
	joinXor
	joinNot
	joinMove
)

var joins = map[string]uint8{"and": joinAnd, "or": joinOr, "xor": joinXor, "not": joinNot, "mov": joinMove}

// predicates compiles setp and the logic of predicates (PTX ISA 9.7.5, 9.7.8).
func (c *compiler) predicates(i *program.Instr) bool {
	ts := types(i)
	switch {
	case i.Op == "setp":
		c.compare(i, ts)
	case i.Op == "isspacep" && len(i.Modifiers) > 0:
		in := blank(opSpace)
		in.d, in.a = c.predOut(term(i, 0)), c.input(i, 1)
		in.extra = &extra{text: i.Modifiers[len(i.Modifiers)-1]}
		c.add(in, i)
	case joins[i.Op] != 0 && len(ts) == 1 && ts[0].bits == 1:
		in := blank(opPredicate)
		in.sub = joins[i.Op]
		in.d, in.a = c.predOut(term(i, 0)), c.pred(term(i, 1))
		if in.sub < joinNot {
			in.b = c.pred(term(i, 2))
		}
		c.add(in, i)
	default:
		return false
	}
	return true
}

func (c *compiler) compare(i *program.Instr, ts []typ) {
	in := blank(opSetp)
	to := term(i, 0)
	if to.Kind == ptx.Pair && len(to.Parts) == 2 {
		in.d, in.e = c.predOut(to.Parts[0]), c.predOut(to.Parts[1])
	} else {
		in.d = c.predOut(to)
	}
	in.sub = comparison(i)
	if len(ts) > 0 {
		in.t = ts[0]
	}
	in.a, in.b = c.input(i, 1), c.input(i, 2)
	if len(i.Operands) > 3 {
		in.c = c.pred(term(i, 3))
		for _, m := range i.Modifiers {
			if j := joins[m]; j != 0 && j < joinNot {
				in.then = j
			}
		}
	}
	if in.t.data || in.sub == 0 || len(ts) == 0 { // of data: the result is not known
		in.a, in.b, in.sub = c.nowhere(), c.nowhere(), equal
	}
	c.add(in, i)
}
