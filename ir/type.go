package ir

import (
	"strings"

	ints "github.com/fencepost-dev/fencepost/integer"
)

// Lanes of a warp (PTX ISA 2.1).
const Lanes = 32

// Type is the type of an instruction: its bits, whether it is signed, whether it is data of no concern.
type Type struct {
	Bits   uint8
	Signed bool
	Data   bool
}

// number is the type as package integer has it.
func (t Type) number() ints.Type { return ints.Type{Bits: t.Bits, Signed: t.Signed} }

// Bring makes an integer of the type's width out of one congruent to it.
func (t Type) Bring(n int64) int64 {
	if t.Bits < 8 {
		return n
	}
	return t.number().Wrap(n)
}

// Store is how a register keeps a result: sign-extended, so that affine values of negative numbers stay affine.
func (t Type) Store(n int64) int64 {
	t.Signed = true
	return t.Bring(n)
}

// resultType is the type of what an instruction sets registers to; no bits where that is not known.
func (in *Inst) resultType() Type {
	switch in.Op.row().types {
	case converted:
		return in.Result
	case alike, sized:
		return in.Type
	}
	switch in.Op {
	case Shuffle, Vote, Elect, CTARank, BarrierCTA:
		return Type{Bits: 32}
	case MbarArrive: // a token (PTX ISA 9.7.13.15.13)
		return Type{Bits: 64}
	case MapShared:
		if in.Flags&ToShared != 0 {
			return Type{Bits: 64}
		}
		return Type{Bits: 32}
	}
	return Type{}
}

// InferTypes makes each register as wide as the widest value that an instruction sets it to, or takes it for. A register is of
// data if nothing makes an integer of it.
func (c *Kernel) InferTypes() {
	c.Types = make([]Type, c.Registers)
	integer := make([]bool, c.Registers)
	widen := func(r int32, t Type) {
		c.Types[r].Bits = max(c.Types[r].Bits, t.Bits)
		integer[r] = integer[r] || t.Bits > 0 && !t.Data
	}
	for name, r := range c.Special {
		widen(r, specialType(name))
	}
	for k := range c.Insts {
		in := &c.Insts[k]
		registers, _ := in.Results()
		for _, d := range registers {
			widen(d, in.resultType())
		}
		if t := in.operandType(); t.Bits > 0 {
			registers, _ = in.OperandsOf()
			for _, r := range registers {
				widen(r, t)
			}
		}
	}
	for r := range c.Types {
		c.Types[r].Data = c.Types[r].Bits > 0 && !integer[r]
	}
}

// operandType is the type that an instruction takes all its operands for; no bits where they differ.
func (in *Inst) operandType() Type {
	switch {
	case in.Op.Accesses(), in.Op == Apply, in.Op == Shl, in.Op == Shr, in.Op == Bfe, in.Op == Bfi, in.Op == MadWide:
		return Type{}
	}
	return in.Type
}

// specialType is that of a special register (PTX ISA 10).
func specialType(name string) Type {
	switch name {
	case "%clock64", "%globaltimer", "%gridid", "%current_graph_exec":
		return Type{Bits: 64}
	}
	return Type{Bits: 32}
}

// InName reports whether a register may have a character in its name.
func InName(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("%_$.@&?#", r)
}
