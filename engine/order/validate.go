package order

import (
	"fmt"
	"math/bits"
)

// Caps on a program, far above any launch: a program may come from a stranger's file.
const (
	maxCTAs    = 1 << 8
	maxWarps   = 1 << 12
	maxIndices = 1<<31 - 2
	maxCopies  = 1 << 12 // accesses and effects of one asynchronous operation
)

// Validate reports the first thing that makes a program meaningless.
func (p *Program) Validate() error {
	if p.CTAs < 1 || p.CTAs > maxCTAs || len(p.Warps) > maxWarps {
		return fmt.Errorf("program %q has %d CTAs and %d warps; at most %d and %d are handled", p.Name, p.CTAs, len(p.Warps), maxCTAs, maxWarps)
	}
	for i, w := range p.Warps {
		if w.CTA < 0 || w.CTA >= p.CTAs || w.Lanes == 0 || len(w.Commands) > maxIndices {
			return fmt.Errorf("program %q: warp %d is in CTA %d of %d with lanes %#x", p.Name, i, w.CTA, p.CTAs, w.Lanes)
		}
		for c := range w.Commands {
			if err := p.validate(w, &w.Commands[c]); err != nil {
				return fmt.Errorf("program %q: warp %d: command %d: %w", p.Name, i, c, err)
			}
		}
	}
	return nil
}

func (p *Program) validate(w *Warp, c *Command) error {
	if int(c.Kind) >= len(kindNames) || c.Mask == 0 || c.Mask&^w.Lanes != 0 {
		return fmt.Errorf("kind %d by lanes %#x of %#x", c.Kind, c.Mask, w.Lanes)
	}
	switch c.Kind {
	case Read, Write, Atomic:
		if int(c.D) > len(w.values) {
			return fmt.Errorf("value %d of %d", c.D, len(w.values))
		}
		return p.inside(Address{c.A, c.B, c.C}, c.Mask)
	case NamedArrive:
		if c.C == 0 {
			return fmt.Errorf("%s without a count (PTX ISA 9.7.13.1)", c.Kind)
		}
	case MbarArrive, MbarDrop:
		if c.B < 1 || c.B > maxCount || c.C > maxCount {
			return fmt.Errorf("%s with count %d and %d bytes (PTX ISA 9.7.13.15.2)", c.Kind, c.B, c.C)
		}
	case MbarExpect, MbarComplete:
		if c.C > maxCount {
			return fmt.Errorf("%s of %d bytes (PTX ISA 9.7.13.15.2)", c.Kind, c.C)
		}
	case AsyncArrive, AsyncCommit, AsyncWait:
		if c.C >= uint32(units) || c.B < 0 {
			return fmt.Errorf("%s with unit %d", c.Kind, c.C)
		}
	case AsyncCopy:
		return p.validateCopy(w, c)
	}
	return nil
}

func (p *Program) validateCopy(w *Warp, c *Command) error {
	if int(c.C) >= len(w.copies) {
		return fmt.Errorf("operation %d of %d", c.C, len(w.copies))
	}
	op := &w.copies[c.C]
	if op.Unit >= units || len(op.Accesses)+len(op.Effects) > maxCopies {
		return fmt.Errorf("operation of unit %d with %d accesses and %d effects", op.Unit, len(op.Accesses), len(op.Effects))
	}
	for _, a := range op.Accesses {
		if err := p.inside(a.Address, c.Mask); err != nil {
			return err
		}
	}
	for _, e := range op.Effects {
		if e.Bytes > maxCount || e.Arrivals > maxCount {
			return fmt.Errorf("completion of %d bytes with %d arrivals (PTX ISA 9.7.13.15.2)", e.Bytes, e.Arrivals)
		}
	}
	return nil
}

// inside checks that the lanes of a mask stay in the shared memory of one CTA, or in global memory.
func (p *Program) inside(a Address, mask uint32) error {
	const window = 1 << offsetBits
	cta := int64(a.lane(bits.TrailingZeros32(mask)) >> offsetBits)
	start := int64(a.lane(bits.TrailingZeros32(mask))) - int64(bits.TrailingZeros32(mask))*int64(a.Stride)
	for _, l := range [2]int64{int64(bits.TrailingZeros32(mask)), int64(31 - bits.LeadingZeros32(mask))} {
		lo := start + l*int64(a.Stride)
		if lo < 0 || cta >= int64(p.CTAs) && cta != globalMemory || lo>>offsetBits != cta || lo&(window-1)+int64(a.Size) >= window {
			return fmt.Errorf("access of %d bytes at %#x with stride %d leaves the memory of CTA %d of %d", a.Size, a.Base, a.Stride, cta, p.CTAs)
		}
	}
	return nil
}
