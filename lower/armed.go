package lower

import "github.com/fencepost-dev/fencepost/protocol"

// leaveArmed marks the mbarriers that the program leaves armed at its end: a producer that waits until its last stage is
// free by acquiring it announces the bytes of a tile that is not to come (notes/cutedsl.md 1.4, tails before release
// 4.6). Nobody waits for that phase, or there is a deadlock. Where the copies of a stage precede the announcement, the
// last one belongs to them.
func leaveArmed(p *protocol.Protocol) {
	copied := make([]bool, len(p.Mbars))
	for _, c := range p.Classes {
		for _, o := range c.Ops {
			for _, e := range o.Effects {
				copied[e.Mbar] = copied[e.Mbar] || e.Bytes > 0
			}
		}
	}
	for i := range p.Classes {
		for o, a := range armings(&p.Classes[i]) {
			if a.expects && a.announcedFirst && a.announcedLast && (a.copies || !copied[o]) {
				p.Mbars[o].Armed = true
			}
		}
	}
}

// arming is how a class announces the bytes of an mbarrier and copies them.
type arming struct{ expects, copies, announcedFirst, announcedLast bool }

func armings(c *protocol.Class) map[int]arming {
	out := map[int]arming{}
	for _, o := range c.Ops {
		switch o.Kind {
		case protocol.ArriveExpectTx, protocol.ExpectTx:
			a := out[o.Object]
			a.announcedFirst = a.announcedFirst || !a.copies
			a.expects, a.announcedLast = true, true
			out[o.Object] = a
		case protocol.Issue:
			for _, e := range o.Effects {
				if e.Bytes > 0 {
					a := out[e.Mbar]
					a.copies, a.announcedLast = true, false
					out[e.Mbar] = a
				}
			}
		}
	}
	return out
}
