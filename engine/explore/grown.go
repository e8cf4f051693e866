package explore

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// grown checks what protocol.Repeat says of two instances: without the first rounds that repeat, the large one is the
// small one. Every relies on it for all instances; that it is so for those looked at is seen.
func grown(small, large *protocol.Protocol, s span) error {
	same := small.CTAs == large.CTAs && small.Cluster == large.Cluster && slices.Equal(small.Mbars, large.Mbars) && slices.Equal(small.Named, large.Named) &&
		slices.Equal(small.Flags, large.Flags) && slices.Equal(small.Buffers, large.Buffers) && slices.Equal(small.Across, large.Across) && len(small.Classes) == len(large.Classes)
	if !same {
		return fmt.Errorf("the objects change with %s", s.unknown)
	}
	for c := range large.Classes {
		a, b := &small.Classes[c], &large.Classes[c]
		cut, err := repeated(large, c, s)
		if err != nil {
			return err
		}
		if before, err := loopsOf(small, c, s.unknown); err != nil || len(before) != len(cut) {
			return fmt.Errorf("the loops of %s change with %s", b.Name, s.unknown)
		}
		if a.CTA != b.CTA || a.Count != b.Count || !slices.Equal(a.Threads, b.Threads) || !without(small, large, a, b, cut) {
			return fmt.Errorf("what %s does changes with %s", b.Name, s.unknown)
		}
	}
	return nil
}

// loopsOf lists the loops of an unknown in a class, in order. Loops of one unknown in each other grow otherwise than Repeat
// says.
func loopsOf(p *protocol.Protocol, c int, unknown string) ([]protocol.Loop, error) {
	var out []protocol.Loop
	for _, l := range p.Loops {
		if l.Class == c && l.Unknown == unknown {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b protocol.Loop) int { return a.Heads[0] - b.Heads[0] })
	for i := 1; i < len(out); i++ {
		if last := out[i-1].Heads; last[len(last)-1] > out[i].Heads[0] {
			return nil, fmt.Errorf("a loop of %s stands in another", unknown)
		}
	}
	return out, nil
}

// repeated lists the locations of the first rounds that repeat in the loops of a class.
func repeated(p *protocol.Protocol, c int, s span) ([]protocol.Range, error) {
	loops, err := loopsOf(p, c, s.unknown)
	if err != nil {
		return nil, err
	}
	var out []protocol.Range
	for _, l := range loops {
		if l.Lead+s.rounds >= len(l.Heads) {
			return nil, fmt.Errorf("a loop of %s has %d rounds, too few to repeat %d from round %d", p.Classes[c].Name, len(l.Heads)-1, s.rounds, l.Lead)
		}
		out = append(out, protocol.Range{Lo: l.Heads[l.Lead], Hi: l.Heads[l.Lead+s.rounds]})
	}
	return out, nil
}

// without reports whether class b of the large protocol is class a of the small one when some of its operations are left out.
func without(small, large *protocol.Protocol, a, b *protocol.Class, cut []protocol.Range) bool {
	at, gone := 0, 0 // location in a, operations left out before
	for l := 0; l <= len(b.Ops); l++ {
		if len(cut) > 0 && l == cut[0].Lo {
			gone += cut[0].Hi - cut[0].Lo
			l, cut = cut[0].Hi, cut[1:]
			if len(cut) > 0 && l == cut[0].Lo { // a loop right behind another
				l--
				continue
			}
		}
		if at > len(a.Ops) || !sameAccesses(small, large, a.Blocks[at], b.Blocks[l]) {
			return false
		}
		if l == len(b.Ops) || at == len(a.Ops) {
			return l == len(b.Ops) && at == len(a.Ops)
		}
		x, y := a.Ops[at], b.Ops[l]
		if len(x.Drains) != len(y.Drains) || !sameAccesses(small, large, x.Access, y.Access) {
			return false
		}
		for i, d := range y.Drains {
			// An operation of the rounds left out stands for the one as far before.
			if x.Drains[i] != d && x.Drains[i] != d-gone {
				return false
			}
		}
		y.Drains, y.Access, y.Behind, y.Site = x.Drains, x.Access, x.Behind, x.Site
		if !x.Equal(&y) {
			return false
		}
		at++
	}
	return false
}

func sameAccesses(small, large *protocol.Protocol, a, b []protocol.Access) bool {
	return slices.EqualFunc(a, b, func(x, y protocol.Access) bool {
		p, q := small.Sites, large.Sites
		if len(p) > 0 && len(q) > 0 && (p[x.Site].Path != q[y.Site].Path || p[x.Site].Line != q[y.Site].Line) {
			return false
		}
		y.Site = x.Site
		return x.Equal(y)
	})
}
