package order

import "math/bits"

// come brings a lane to a named barrier. Of whole warps, the warp registers when all its lanes that run the command have come.
func (x *replayer) come(warp, l int, c *Command) bool {
	w := &x.warps[warp]
	lanes, units := uint32(1)<<l, 1
	if x.p.WholeWarps {
		w.came |= lanes
		n := w.next[l]
		for m := c.Mask; m != 0; m &= m - 1 {
			if k := bits.TrailingZeros32(m); w.came>>k&1 == 0 || w.next[k] != n {
				return false
			}
		}
		lanes, units = c.Mask, bits.OnesCount32(c.Mask)
		if x.whole(warp, n, c.Mask) {
			units = 32
		}
	}
	return x.register(warp, lanes, units, c)
}

// whole reports whether the lanes that do not run a command run no named barrier later.
func (x *replayer) whole(warp int, n int32, mask uint32) bool {
	for m := x.p.Warps[warp].Lanes &^ mask; m != 0; m &= m - 1 {
		if x.warps[warp].lastBar[bits.TrailingZeros32(m)] > n {
			return false
		}
	}
	return true
}

// register counts lanes of a warp in a named barrier.
func (x *replayer) register(warp int, lanes uint32, units int, c *Command) bool {
	key := namedKey{x.p.Warps[warp].CTA, c.A}
	b := x.named[key]
	if b == nil {
		b = &replayedNamed{generation: 1}
		x.named[key] = b
	}
	if !b.open {
		b.open, b.count = true, c.C
	} else if b.count != c.C {
		x.fail(Counts)
		return false
	}
	if need := x.need(key.cta, b); b.units+units > need {
		x.fail(Registration)
		return false
	}
	b.units += units
	for m := lanes; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		x.credit(warp, x.warps[warp].next[l], 0, int32(b.generation))
		if c.Kind == NamedSync {
			x.warps[warp].in |= 1 << l
		}
	}
	for m := lanes; x.trace != nil && m != 0; m &= m - 1 {
		x.tell(warp, bits.TrailingZeros32(m), c)
	}
	x.meet(key, b)
	if c.Kind == NamedArrive {
		for m := lanes; m != 0; m &= m - 1 {
			x.move(warp, bits.TrailingZeros32(m))
		}
	}
	return true
}

// need is how many threads complete a generation.
func (x *replayer) need(cta int, b *replayedNamed) int {
	if b.count > 0 {
		return int(b.count)
	}
	return x.units[cta]
}

// meet lets the lanes of a generation go that is complete.
func (x *replayer) meet(key namedKey, b *replayedNamed) {
	if b.units == 0 || b.units < x.need(key.cta, b) {
		return
	}
	b.open, b.units = false, 0
	b.generation++
	for i, w := range x.p.Warps {
		if w.CTA != key.cta {
			continue
		}
		for m := x.warps[i].in; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			if c := &w.Commands[x.warps[i].next[l]]; c.Kind == NamedSync && c.A == key.id {
				x.move(i, l)
			}
		}
	}
}
