package build

import (
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// SameProgram reports whether two classes do the same, whichever threads do it.
func SameProgram(a, b *protocol.Class) bool {
	if len(a.Ops) != len(b.Ops) {
		return false
	}
	for i := range a.Ops {
		// Drain waits for the copies of the whole class: threads with groups of their own stay apart.
		if len(a.Ops[i].Drains) > 0 || !a.Ops[i].Equal(&b.Ops[i]) {
			return false
		}
	}
	for i := range a.Blocks {
		if !slices.EqualFunc(a.Blocks[i], b.Blocks[i], sameAccess) {
			return false
		}
	}
	return true
}

// sameAccess ignores elements: threads of one class are told apart by them.
func sameAccess(a, b protocol.Access) bool {
	b.Elements = a.Elements
	return a.Equal(b)
}

// Join adds b's threads to a.
func Join(a, b *protocol.Class) {
	for i := range a.Blocks {
		if Carried(a.Blocks, i) > Carried(b.Blocks, i) {
			apart(a.Blocks)
			break
		}
	}
	for i := range a.Blocks {
		for k := Carried(a.Blocks, i); k < len(a.Blocks[i]); k++ {
			x, y := &a.Blocks[i][k], &b.Blocks[i][k]
			if len(x.Elements) == 1 && len(y.Elements) == 1 && x.Elements[0] == y.Elements[0] {
				continue
			}
			x.Elements = append(spread(x.Elements, a.Count), spread(y.Elements, b.Count)...)
		}
	}
	a.Threads = append(a.Threads, b.Threads...)
	a.Count += b.Count
}

func spread(rs []protocol.Range, n int) []protocol.Range {
	if len(rs) == n {
		return slices.Clone(rs)
	}
	out := make([]protocol.Range, n)
	for i := range out {
		out[i] = rs[0]
	}
	return out
}

// LeaveArmed marks the mbarriers that the program leaves armed at its end: a producer that waits until its last stage is
// free by acquiring it announces the bytes of a tile that is not to come (notes/cutedsl.md 1.4, tails before release
// 4.6). Nobody waits for that phase, or there is a deadlock. Where the copies of a stage precede the announcement, the
// last one belongs to them.
func LeaveArmed(p *protocol.Protocol) {
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
