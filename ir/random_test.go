package ir

import (
	"fmt"
	"math/rand/v2"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/source"
)

// randomKernel has instructions of any kind, with any fields that the table lets them have.
func randomKernel(r *rand.Rand) *Kernel {
	c := &Kernel{Name: "random", File: &source.File{Name: "r.ptx"}, Special: map[string]int32{"%tid.x": 0}, Registers: 6, Predicates: 4,
		Variables: map[string]*Variable{"a b": {Name: "a b", Space: "shared", Size: 64, Elem: 4, Init: []int64{-1, 2}}, "g": {Name: "g", Space: "global", Size: 8, Elem: 8}},
		Globals:   map[string]int32{"g": 3},
		Formals:   []string{"p"}, Slots: []Parameter{{Name: "p", Offset: 8, Register: 1, Pointer: true}}}
	c.Names = []string{"%tid.x", "p.8", "%r1", "odd name", "?", "%r2@f"}
	for range c.Names {
		c.Types = append(c.Types, Type{Bits: 255})
	}
	c.Nothing = 4
	for k := range c.Predicates {
		c.Tests = append(c.Tests, fmt.Sprintf("%%p%d", k))
	}
	n := int32(2 + r.IntN(12))
	for f := range int32(1 + r.IntN(2)) {
		from := int32(len(c.Insts))
		c.Functions, c.Called = append(c.Functions, [2]int32{from, from + n}), append(c.Called, fmt.Sprintf("f%d", f))
		for range n - 1 {
			c.add(r, randomInst(r, Op(r.IntN(int(ops))), from, n))
		}
		end := Blank(Return)
		end.Guard = -1
		c.add(r, end)
	}
	for k := range c.Insts {
		if in := &c.Insts[k]; in.Op == Call {
			f := r.IntN(len(c.Functions))
			in.Target, in.Extra = c.Functions[f][0], &Extra{Text: c.Called[f]}
		}
	}
	return c
}

func (c *Kernel) add(r *rand.Rand, in Inst) {
	if n := len(c.Insts); n > 0 && r.IntN(3) == 0 {
		in.Place = c.Insts[n-1].Place
	} else {
		in.Place = uint32(len(c.Places))
		c.Places = append(c.Places, []Place{{}, {Path: "a.cu", Line: 7, Name: "bar.sync"}, {Path: "a b\"c.cu", Line: 1}, {Path: "-", Line: 3, Name: "x = \"y\" "}}[r.IntN(4)])
	}
	c.Insts = append(c.Insts, in)
}

func randomInst(r *rand.Rand, op Op, from, n int32) Inst {
	row, form := op.row(), op.form()
	in := Blank(op)
	in.Guard = int32(r.IntN(5)) - 1
	in.GuardNot = in.Guard >= 0 && r.IntN(2) == 0
	result := func(b Bank) int32 {
		switch b {
		case Register:
			return int32(r.IntN(7)) - 1
		case Predicate:
			return int32(r.IntN(5)) - 1
		}
		return -1
	}
	operand := func(b Bank) Operand {
		o := Operand{Reg: -1, Imm: r.Int64() >> r.IntN(64) * (1 - 2*int64(r.IntN(2)))}
		if b == Register {
			o.Of = uint16(r.IntN(2))
		}
		if reg := result(b); reg >= 0 {
			o = Operand{Reg: reg}
		}
		o.Not = b == Predicate && r.IntN(2) == 0
		return o
	}
	in.D, in.E = result(form.d), result(form.e)
	for k, to := range []*Operand{&in.A, &in.B, &in.C} {
		if b := form.operands[k]; b != Unused && (!form.optional[k] || r.IntN(2) == 0) {
			*to = operand(b)
		}
	}
	if form.address && in.A != None {
		in.Offset = r.Int64() >> r.IntN(64)
	}
	in.randomDetails(r, row)
	in.randomExtra(r, func() Operand { return operand(Register) }, result)
	switch op {
	case Branch:
		in.Target = from + int32(r.IntN(int(n)))
	case BranchIndexed:
		in.Extra = &Extra{}
		for range r.IntN(3) {
			in.Extra.Targets = append(in.Extra.Targets, from+int32(r.IntN(int(n))))
		}
	}
	return in
}

func (in *Inst) randomDetails(r *rand.Rand, row *row) {
	in.Flags = row.flags & Flags(r.UintN(1<<16))
	if len(row.modes) > 0 {
		in.Mode = uint8(r.IntN(len(row.modes)))
		if row.modes[in.Mode] == "-" {
			in.Mode++
		}
	}
	if row.has&lanes != 0 {
		in.Mode = uint8(1 + r.IntN(Lanes))
	}
	if row.has&joined != 0 {
		in.Join = uint8(r.IntN(int(JoinXor) + 1))
	}
	if row.has&spaced != 0 {
		in.Space = Space(r.IntN(len(spaces)))
	}
	if row.has&ordered != 0 {
		in.Order, in.Scope = Order(r.IntN(len(orders))), Scope(r.IntN(len(scopes)))
	}
	if row.has&masked != 0 && r.IntN(2) == 0 {
		in.Members = Operand{Reg: int32(r.IntN(6))}
	}
	if row.types != untyped {
		in.Type = []Type{{Bits: 8}, {Bits: 16, Signed: true}, {Bits: 32}, {Bits: 32, Signed: true}, {Bits: 64}, {Bits: 32, Data: true}}[r.IntN(6)]
	}
	switch row.types {
	case alike:
		in.Result = in.Type
	case converted:
		in.Result = Type{Bits: 64, Signed: r.IntN(2) == 0}
	}
	if row.has&measured != 0 {
		in.Size = 1 << r.IntN(6)
	}
}

func (in *Inst) randomExtra(r *rand.Rand, operand func() Operand, result func(Bank) int32) {
	form, row := in.Op.form(), in.Op.row()
	parts := r.IntN(3)
	switch {
	case in.Op == Bfi || in.Op == Lop3:
		parts = 1
	case in.Op == WarpgroupMultiply:
		parts = 2
	case in.Op == TensorMultiply:
		parts = 1 + r.IntN(5)
	case in.Op == Pack || in.Op == Unpack:
		parts++
	case in.Op == Load || in.Op == Store:
		if parts == 2 {
			parts = 3 // vectors have two or four
		}
		in.Size = uint32(parts+1) * uint32(in.Type.Bits) / 8
	case form.four:
		in.Extra = &Extra{Operands: []Operand{None, None, None, None}, Offsets: make([]int64, 4)}
		for k := range in.Extra.Operands {
			if r.IntN(2) == 0 {
				in.Extra.Operands[k] = operand()
				if k < 3 {
					in.Extra.Offsets[k] = r.Int64() >> r.IntN(64)
				}
			}
		}
		return
	}
	for range parts {
		if form.dests {
			in.extra().Dests = append(in.extra().Dests, result(Register))
		}
		if form.more {
			in.extra().Operands = append(in.extra().Operands, operand())
		}
	}
	if row.has&worded != 0 {
		in.extra().Text = []string{"", "shared", "a = \"b\" ! c\n"}[r.IntN(3)]
		in.extra().Code = limit.Code(r.IntN(len(limit.All()) + 1))
	}
}
