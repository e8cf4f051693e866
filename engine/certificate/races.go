package certificate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// accessor is one access of what may be held.
type accessor struct {
	Held
	index int
	*protocol.Access
}

// accessors lists the accesses of a protocol, by buffer.
func accessors(p *protocol.Protocol) [][]accessor {
	out := make([][]accessor, len(p.Buffers))
	add := func(h Held, list []protocol.Access) {
		for i := range list {
			out[list[i].Buffer] = append(out[list[i].Buffer], accessor{h, i, &list[i]})
		}
	}
	for c := range p.Classes {
		for l, block := range p.Classes[c].Blocks {
			add(Held{c, l, false}, block)
		}
		for l := range p.Classes[c].Ops {
			if o := &p.Classes[c].Ops[l]; o.Kind == protocol.Issue {
				add(Held{c, l, true}, o.Access)
			}
		}
	}
	return out
}

// behind says which threads may be behind a conflict.
type behind struct{ one, two bool }

// conflicts says which threads may be behind two accesses that conflict, wherever they are: one, or two.
func conflicts(p *protocol.Protocol, a, b *accessor) (w behind) {
	use := func(x *accessor) protocol.Use {
		return protocol.Use{Access: x.Access, Class: x.Class, InFlight: x.InFlight}
	}
	one := a.Class == b.Class
	if one && a.Location == b.Location && !a.InFlight && !b.InFlight && a.index != b.index {
		first, second := a, b
		if a.index > b.index {
			first, second = b, a
		}
		w.one = p.Unordered(first.Access, second.Access) && meet(first.Elements, second.Elements, own)
	}
	if !p.Conflict(use(a), use(b)) {
		return w
	}
	touch := func(who whose) bool {
		switch {
		case a.Parts == protocol.Somewhere:
			return within(a.Elements, b.Elements, who)
		case b.Parts == protocol.Somewhere:
			return within(b.Elements, a.Elements, who)
		}
		return meet(a.Elements, b.Elements, who)
	}
	w.two = !one && touch(anyone) || one && p.Classes[a.Class].Count > 1 && touch(others)
	// What a thread has issued goes on while it is at later locations, and was not there at earlier ones.
	after := a.InFlight && b.Location > a.Location || b.InFlight && a.Location > b.Location
	w.one = w.one || one && after && touch(own)
	return w
}

// whose says of two lists of ranges, of one thread each, which are compared: those of one thread, of two, or all.
type whose int

const (
	own whose = iota
	others
	anyone
)

// compared reports whether two ranges are. One that stands alone is that of every thread.
func (w whose) compared(x, y []protocol.Range, i, j int) bool {
	return w == anyone || len(x) == 1 || len(y) == 1 || (i == j) == (w == own)
}

// meet reports whether two lists of ranges have an element in common. In the order of where they begin, a range meets one before
// it if that reaches beyond its begin; of those, the two that reach furthest are of two threads.
func meet(x, y []protocol.Range, who whose) bool {
	if who == own && len(x) > 1 && len(y) > 1 {
		for i := range x {
			if max(x[i].Lo, y[i].Lo) < min(x[i].Hi, y[i].Hi) {
				return true
			}
		}
		return false
	}
	type mark struct {
		protocol.Range
		list, i int
	}
	var marks []mark
	for list, ranges := range [][]protocol.Range{x, y} {
		for i, r := range ranges {
			if r.Lo < r.Hi {
				marks = append(marks, mark{r, list, i})
			}
		}
	}
	slices.SortFunc(marks, func(a, b mark) int { return cmp.Compare(a.Lo, b.Lo) })
	var far [2][]mark // of each list, the two that reach furthest so far, the furthest first
	for _, k := range marks {
		for _, o := range far[1-k.list] {
			if o.Hi > k.Lo && who.compared(x, y, k.i, o.i) {
				return true
			}
		}
		list := append(far[k.list], k)
		slices.SortStableFunc(list, func(a, b mark) int { return cmp.Compare(b.Hi, a.Hi) })
		far[k.list] = list[:min(2, len(list))]
	}
	return false
}

// within reports whether some range of x, with an element, lies in one of y.
func within(x, y []protocol.Range, who whose) bool {
	for i, r := range x {
		for j, s := range y {
			if r.Lo < r.Hi && s.Lo <= r.Lo && r.Hi <= s.Hi && who.compared(x, y, i, j) {
				return true
			}
		}
	}
	return false
}

// place is where a thread is at the least that makes the access, or has issued what does.
func (h Held) place() int {
	if h.InFlight {
		return passed(h.Location)
	}
	return at(h.Location)
}

// races looks at every pair of conflicting accesses: one thing held, nobody gets to the other. What is not shown so is shown by no
// bound with both held: if each can be reached while the other is held, no further than where it is, both can.
func (f *frozen) races() error {
	for buffer, list := range accessors(f.p) {
		list = slices.DeleteFunc(list, func(a accessor) bool { return f.bounds[a.Held] == nil }) // never there
		for i := range list {
			for j := i; j < len(list); j++ {
				if !list[i].Write && !list[j].Write {
					continue
				}
				if err := f.ordered(&list[i], &list[j]); err != nil {
					return fmt.Errorf("%s: %w", f.p.Buffers[buffer].Name, err)
				}
			}
		}
	}
	return nil
}

// ordered reports why two accesses may happen at once and conflict.
func (f *frozen) ordered(a, b *accessor) error {
	x, y := f.bounds[a.Held], f.bounds[b.Held]
	apart := x.Others[b.Class] >= b.place() && y.Others[a.Class] >= a.place()
	one := false
	if a.Class == b.Class {
		switch {
		case a.InFlight && b.InFlight:
			first, second := a, b
			if a.Location > b.Location {
				first, second = b, a
			}
			one = f.bounds[first.Held].Own[0] >= second.place()
		case a.InFlight:
			one = x.Own[0] >= b.place()
		case b.InFlight:
			one = y.Own[0] >= a.place()
		default:
			one = a.Location == b.Location
		}
	}
	if !apart && !one {
		return nil
	}
	w := conflicts(f.p, a, b)
	if one && w.one {
		return fmt.Errorf("a thread of %s at %d may access it while its own access at %d goes on", f.p.Classes[a.Class].Name, b.Location, a.Location)
	}
	if !apart || !w.two {
		return nil
	}
	return fmt.Errorf("%s at %d and %s at %d may access it at once", f.p.Classes[a.Class].Name, a.Location, f.p.Classes[b.Class].Name, b.Location)
}
