package ir

import ints "github.com/fencepost-dev/fencepost/integer"

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
