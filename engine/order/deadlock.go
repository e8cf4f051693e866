package order

import (
	"fmt"
	"strings"
)

// deadlock reports threads that wait for ever: those of a cycle if there is one, else one that nobody comes for.
func (r *run) deadlock() {
	var stuck []*strand
	for _, s := range r.strands {
		if s.next < len(r.p.Warps[s.warp].Commands) {
			stuck = append(stuck, s)
		}
	}
	if len(stuck) == 0 {
		return
	}
	r.surplus(stuck)
	cycle, closed := r.cycle(stuck[0], stuck)
	if last := cycle[len(cycle)-1]; !closed && !r.polls(last) { // who is at the barrier of a CTA or cluster mostly waits for one that is stuck elsewhere
		for _, s := range stuck {
			if r.polls(s) {
				cycle, closed = r.cycle(s, stuck)
				break
			}
		}
	}
	var text strings.Builder
	points := []Point{}
	for i, s := range cycle {
		if i > 0 {
			text.WriteString("; ")
		}
		c := &r.p.Warps[s.warp].Commands[s.next]
		if b := r.objects[c.A]; b != nil && len(cycle) == 1 && !closed && r.polls(s) {
			fmt.Fprintf(&text, "%s %s: %s here for ever", r.barrier(b), b.lacks(), r.does(s, "wait"))
			points = append(points, r.point(s, int32(s.next+1)))
			break
		}
		fmt.Fprintf(&text, "%s in %s", r.does(s, "wait"), r.place(c))
		switch {
		case i+1 < len(cycle):
			fmt.Fprintf(&text, " for %s", r.who(cycle[i+1]))
		case closed && len(cycle) > 1:
			fmt.Fprintf(&text, " for %s", r.who(cycle[0]))
		case closed:
			text.WriteString(", which it would complete itself further on")
		default:
			text.WriteString(", where nobody comes any more")
		}
		points = append(points, r.point(s, int32(s.next+1)))
	}
	object := r.p.Warps[cycle[0].warp].Commands[cycle[0].next].A
	r.report(Deadlock, object, text.String(), points...).again = recheck{how: whole, s: cycle[0], pos: int32(cycle[0].next + 1)}
}

// lacks says what a phase that is never over waits for.
func (b *object) lacks() string {
	switch {
	case b.pending == 0 && b.tx > 0:
		return fmt.Sprintf("never gets %d of the bytes that it expects", b.tx)
	case b.pending == 0 && b.tx < 0:
		return fmt.Sprintf("gets %d bytes that it does not expect", -b.tx)
	case b.expected == 1:
		return "never gets its arrival"
	case b.pending == b.expected:
		return fmt.Sprintf("never gets its %d arrivals", b.expected)
	}
	return fmt.Sprintf("never gets %d of its %d arrivals", b.pending, b.expected)
}

// place says what a command waits in.
func (r *run) place(c *Command) string {
	switch c.Kind {
	case NamedArrive, NamedSync:
		return fmt.Sprintf("barrier %d", c.A)
	case MbarWait, MbarWaitToken:
		return r.barrier(r.objects[c.A])
	case WarpSync, WarpMeet:
		return "the barrier of its warp"
	}
	return "the cluster barrier"
}

// polls reports whether a strand waits for an mbarrier.
func (r *run) polls(s *strand) bool {
	kind := r.p.Warps[s.warp].Commands[s.next].Kind
	return kind == MbarWait || kind == MbarWaitToken
}

// cycle follows from a strand that waits to one that would come, as long as there is one.
func (r *run) cycle(from *strand, stuck []*strand) (path []*strand, closed bool) {
	on := map[*strand]int{}
	for s := from; ; {
		if i, seen := on[s]; seen {
			return path[i:], true
		}
		on[s] = len(path)
		path = append(path, s)
		next := r.comes(s, stuck)
		if next == nil {
			return path[max(0, len(path)-8):], false
		}
		s = next
	}
}

// comes is a strand that still has a command that would help the one that waits, another one rather than itself.
func (r *run) comes(s *strand, stuck []*strand) *strand {
	c := &r.p.Warps[s.warp].Commands[s.next]
	var own *strand
	for _, t := range stuck {
		if !r.helps(t, s, c) {
			continue
		}
		if t != s {
			return t
		}
		own = t
	}
	return own
}

// helps reports whether a strand has a command ahead that contributes to what another waits for.
func (r *run) helps(t, s *strand, c *Command) bool {
	w := r.p.Warps[t.warp]
	from := t.next
	if t == s || w.Commands[from].Kind == NamedSync && r.entered(t) {
		from++ // it is in there already
	}
	for i := from; i < len(w.Commands); i++ {
		x := &w.Commands[i]
		if x.Mask&t.lanes == 0 {
			continue
		}
		switch {
		case c.Kind == NamedArrive || c.Kind == NamedSync:
			if (x.Kind == NamedArrive || x.Kind == NamedSync) && x.A == c.A && t.cta == s.cta {
				return true
			}
		case c.Kind == WarpSync || c.Kind == WarpMeet:
			if t.warp == s.warp && i == s.next {
				return true
			}
		case c.Kind == ClusterWait:
			if x.Kind == ClusterArrive {
				return true
			}
		case r.touches(w, x, c.A):
			return true
		}
	}
	return false
}

// entered reports whether a strand is registered in the named barrier that it stands at.
func (r *run) entered(t *strand) bool {
	b := r.named[namedKey{t.cta, r.p.Warps[t.warp].Commands[t.next].A}]
	if b != nil {
		for _, m := range b.blocked {
			if m.s == t {
				return true
			}
		}
	}
	return false
}

// touches reports whether a command contributes to the mbarrier at an address.
func (r *run) touches(w *Warp, x *Command, mbar uint32) bool {
	switch x.Kind {
	case MbarArrive, MbarDrop, MbarExpect, MbarComplete, AsyncArrive:
		return x.A == mbar
	case AsyncCopy:
		for _, e := range w.copies[x.C].Effects {
			if e.Mbar == mbar {
				return true
			}
		}
	}
	return false
}
