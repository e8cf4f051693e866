package ir

import (
	"math"
	"strings"
)

// Choice says that what memory holds chooses where an access of shared memory is, and nothing else does: some byte from Low on and before High of
// the CTA's shared memory. Where the rest of the address is the same for a warp alone, the warp's threads choose among their own.
type Choice struct {
	Low, High int64
	Level     Level // of the rest of the address: UniformCTA or UniformWarp
}

// maxChosen bounds how many values the index of an access is followed back to.
const maxChosen = 256

// ChosenAt is the choice of the accesses of shared memory at a place, if each of them is one. An index is chosen by data where it is computed from what was loaded, and in
// no other way from which thread it is: so data that lead to the element of another thread are as good as any. What an atomic operation gives
// may keep threads apart by itself; it chooses nothing.
func (c *Kernel) ChosenAt(place uint32) (out Choice, is bool) {
	if c.chosen != nil {
		return c.chosen(place)
	}
	for k := range c.Insts {
		in := &c.Insts[k]
		if in.Place != place || !in.accesses() {
			continue
		}
		one, chosen := c.choice(int32(k))
		if !chosen {
			return out, false
		}
		if is {
			one.Low, one.High, one.Level = max(one.Low, out.Low), min(one.High, out.High), max(one.Level, out.Level)
		}
		out, is = one, true
	}
	return out, is
}

func (c *Kernel) choice(k int32) (out Choice, is bool) {
	for _, t := range c.TargetsOf(k) {
		if t.Operand != 0 || len(t.Objects) != 1 {
			continue
		}
		a, u := c.Affine(), c.UniformIfUnchanged()
		of := t.Objects[0]
		out.Low, out.High = of.At, math.MaxInt64
		if of.Size >= 0 {
			out.High = of.At + of.Size
		}
		if t.Ranged {
			out.Low, out.High = max(out.Low, t.Low), min(out.High, t.High)
		}
		if n := t.Address.Const; n > out.Low && n < out.High { // an index is not below 0
			out.Low = n
		}
		for _, term := range t.Address.Terms {
			if term.Atom <= 0 {
				return out, false
			}
			v := &a.s.Values[term.Atom]
			switch {
			case c.loadedFrom(a.s, term.Atom):
				is = true
			case int(v.Of) < len(u.Registers) && u.Registers[v.Of] < Varying:
				out.Level = max(out.Level, u.Registers[v.Of])
			default:
				return out, false
			}
		}
		return out, is && out.Low < out.High
	}
	return out, false
}

// tellsThreads are the special registers that differ between threads of a CTA (PTX ISA 10).
var tellsThreads = []string{"%tid", "%laneid", "%warpid", "%lanemask"}

// loadedFrom reports whether a value is computed from what loads of global or shared memory give, and constants, and what is the same for all threads.
func (c *Kernel) loadedFrom(s *SSA, n int32) (loads bool) {
	met, todo := map[int32]bool{n: true}, []int32{n}
	next := func(n int32) {
		if n > 0 && !met[n] {
			met[n] = true
			todo = append(todo, n)
		}
	}
	names := map[int32]string{}
	for name, r := range c.Special {
		names[r] = name
	}
	for len(todo) > 0 {
		v := &s.Values[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		if len(met) > maxChosen {
			return false
		}
		switch v.Kind {
		case Given:
			name := names[v.Of]
			for _, one := range tellsThreads {
				if strings.HasPrefix(name, one) {
					return false
				}
			}
			if name == "" && !c.isGiven(v.Of) {
				return false
			}
		case Merged:
			for _, from := range v.From {
				next(from)
			}
		case Defined:
			in := &c.Insts[v.At]
			switch {
			case in.Op == Load && (in.Space == Global || in.Space == Shared):
				loads = true
				continue
			case in.Op == Load, in.Op == Atomic, in.Op == Havoc, in.Op == Vote, in.Op == Shuffle, in.Op == Elect, !in.Op.Does(Computes):
				return false
			}
			for _, from := range s.reads[v.At] {
				next(from)
			}
			for _, from := range v.From {
				next(from)
			}
		default:
			return false
		}
	}
	return loads
}

// isGiven reports whether a register is one of the kernel's parameters.
func (c *Kernel) isGiven(register int32) bool {
	for _, s := range c.Given() {
		if s.Register == register {
			return true
		}
	}
	return false
}
