package certificate

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/protocol"
)

// flags requires that each of them only rises, and that a spin that is reached stays enabled once it is.
func (s *system) flags() error {
	s.store, s.most = make([]int, len(s.p.Flags)), make([]int, len(s.p.Flags))
	added := make([]bool, len(s.p.Flags))
	for i, f := range s.p.Flags {
		s.store[i], s.most[i] = -1, f.Initial
	}
	for c := range s.p.Classes {
		for l, o := range s.p.Classes[c].Ops {
			if o.Kind == protocol.FlagSwap {
				return fmt.Errorf("%s is stored to because of what it holds", s.p.Flags[o.Object].Name)
			}
			if !s.executed(c, l) || o.Kind != protocol.FlagAdd && o.Kind != protocol.FlagStore {
				continue
			}
			i, rises := o.Object, false
			if o.Kind == protocol.FlagAdd {
				rises = o.Count >= 0 && s.store[i] < 0
				added[i] = true
				s.most[i] += o.Count * s.p.Classes[c].Count
			} else {
				rises = o.Count >= s.most[i] && !added[i] && (s.store[i] < 0 || s.store[i] == c)
				s.store[i], s.most[i] = c, o.Count
			}
			if !rises {
				return fmt.Errorf("%s does not only rise", s.p.Flags[i].Name)
			}
		}
	}
	for c := range s.p.Classes {
		for l := range s.p.Classes[c].Ops {
			if o := &s.p.Classes[c].Ops[l]; o.Kind == protocol.Spin && s.reached(c, l) {
				if _, stays := s.spin(o); !stays {
					return fmt.Errorf("the spin %s %d on %s may pass and then block", o.Compare, o.Count, s.p.Flags[o.Object].Name)
				}
			}
		}
	}
	return nil
}

// spin is the threshold that a spin is, if there is one for all values that its flag can have; of "==", as long as the
// flag is not past the value, which is for same.go.
func (s *system) spin(o *protocol.Op) (least int, stays bool) {
	initial, most := s.p.Flags[o.Object].Initial, s.most[o.Object]
	switch o.Compare {
	case ">=", "==":
		return o.Count, true
	case ">":
		return o.Count + 1, true
	case "<=":
		return initial, most <= o.Count
	case "<":
		return initial, most < o.Count
	}
	if o.Count == initial {
		return initial + 1, true
	}
	return initial, o.Count < initial || o.Count > most
}
