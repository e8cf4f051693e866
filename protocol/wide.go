package protocol

import "slices"

// Widened is the protocol with every access touching whatever it may touch: some elements, not known which, are all of
// them; a part of a tile of which it is not known whose it is is the tile; what may happen does; and two values are another
// unless they are known to be one. Its threads do what those of p do, and what is no race in it is none in p.
func (p *Protocol) Widened() *Protocol {
	w := *p
	w.Wide = true
	w.Buffers, w.Classes = slices.Clone(p.Buffers), slices.Clone(p.Classes)
	dealt := map[[2]int]int{}
	for i := range w.Classes {
		c := &w.Classes[i]
		c.Ops, c.Blocks = slices.Clone(c.Ops), slices.Clone(c.Blocks)
		for l := range c.Ops {
			c.Ops[l].Access = w.widened(c, c.Ops[l].Access, dealt)
		}
		for l := range c.Blocks {
			c.Blocks[l] = w.widened(c, c.Blocks[l], dealt)
		}
	}
	return &w
}

// widened are the accesses of a list as wide as they may be, and after them those within a warp: of accesses that deal a
// tile out to warps in one way, those of two warps are of other elements. What their lanes may touch of each other's is
// the business of a buffer of its own, with a copy of the tile for each warp.
func (p *Protocol) widened(c *Class, list []Access, dealt map[[2]int]int) []Access {
	out := slices.Clone(list)
	for i := range list {
		a := &out[i]
		switch {
		case a.Parts == Somewhere && a.Share != 0:
			a.Parts = ByThread
		case a.Parts == Somewhere, a.Parts == ByThread && a.Share == 0 && a.Deal == 0:
			a.Parts = Whole
		case a.Parts == ByThread && a.Deal != 0 && len(c.Threads) == c.Count:
			key, of := [2]int{a.Buffer, a.Deal}, p.Buffers[a.Buffer]
			if _, known := dealt[key]; !known {
				dealt[key] = len(p.Buffers)
				p.Buffers = append(p.Buffers, Buffer{Name: of.Name, CTA: of.CTA, Elements: mostWarps * of.Elements})
			}
			own := *a
			own.Buffer, own.Deal, own.Elements = dealt[key], 0, make([]Range, c.Count)
			if own.Share == 0 {
				own.Parts = Whole
			}
			for k, t := range c.Threads {
				r := a.Elements[min(k, len(a.Elements)-1)]
				own.Elements[k] = Range{t/32*of.Elements + r.Lo, t/32*of.Elements + r.Hi}
			}
			out = append(out, own)
		}
	}
	return out
}

// mostWarps is how many warps a CTA has at the most (CUDA C++ Programming Guide, technical specifications).
const mostWarps = 32

// Vague reports whether accesses of p may conflict in the protocol that Widened makes and not in p: cheaply told, so that
// it may be so where none does.
func (p *Protocol) Vague() bool {
	open := func(a Access) bool {
		return a.Maybe || a.Pending || a.Parts == Somewhere || a.Parts == ByThread || a.Write && a.Stored <= 0 && !a.Parts.copied()
	}
	for i := range p.Classes {
		c := &p.Classes[i]
		for l := range c.Ops {
			if slices.ContainsFunc(c.Ops[l].Access, open) {
				return true
			}
		}
		for l := range c.Blocks {
			if slices.ContainsFunc(c.Blocks[l], open) {
				return true
			}
		}
	}
	return false
}
