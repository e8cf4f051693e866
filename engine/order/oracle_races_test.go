package order

import (
	"fmt"
	"math/bits"
	"strings"
)

// reach is the bytes that something accesses now.
type reach struct {
	lo, hi uint32
	kind   Kind
	owner  int // lane, or -1 - start
}

// races looks for two accesses that are next, or go on, and conflict.
func (o *oracle) races(w world) {
	var now []reach
	for i, p := range o.lanes {
		if c := o.command(w, i); c != nil && c.Kind.Access() {
			lo := Address{c.A, c.B, c.C}.lane(p.lane)
			now = append(now, reach{lo, lo + c.C, c.Kind, i})
		}
	}
	for k, f := range o.starts {
		warp := o.p.Warps[o.lanes[f.lane].warp]
		c := &warp.Commands[f.index]
		if o.start(w, k)[0] == 0 || c.Kind != AsyncCopy {
			continue
		}
		for _, a := range warp.copies[c.C].Accesses {
			lo, kind := a.lane(o.lanes[f.lane].lane), Read
			if a.Write {
				kind = Write
			}
			now = append(now, reach{lo, lo + a.Size, kind, -1 - k})
		}
	}
	for i, a := range now {
		for _, b := range now[:i] {
			if a.owner != b.owner && a.lo < b.hi && b.lo < a.hi && (a.kind != Read || b.kind != Read) && (a.kind != Atomic || b.kind != Atomic) {
				o.race = true
			}
		}
	}
}

// text prints a program for a person.
func text(p *Program) string {
	var b strings.Builder
	for _, x := range p.Objects {
		fmt.Fprintf(&b, "mbarrier %#x count %d\n", x.Address, x.Count)
	}
	for i, w := range p.Warps {
		fmt.Fprintf(&b, "warp %d cta %d lanes %d:", i, w.CTA, bits.OnesCount32(w.Lanes))
		for _, c := range w.Commands {
			fmt.Fprintf(&b, " %s/%b(%d,%d,%d)", c.Kind, c.Mask, c.A, c.B, c.C)
			if c.Kind == AsyncCopy {
				fmt.Fprintf(&b, "%+v", w.copies[c.C])
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
