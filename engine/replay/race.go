package replay

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Race finds two conflicting accesses that may both be happening in a state, or nil.
func (s *State) Race() *engine.Pair {
	now := s.accessors()
	for i, a := range now {
		for _, b := range now[i:] {
			if s.conflict(a, b) {
				return &engine.Pair{First: a, Second: b}
			}
		}
	}
	return nil
}

// Raced reports whether an execution goes through a state with a race.
func Raced(p *protocol.Protocol, steps []engine.Step) (bool, error) {
	if err := p.Validate(); err != nil {
		return false, err
	}
	s := newState(p)
	total := 0
	for i, st := range steps {
		if err := inRange(p, st); err != nil {
			return false, fmt.Errorf("step %d: %w", i+1, err)
		}
		if total += st.N; total > maxSteps {
			return false, fmt.Errorf("step %d: the trace has more than %d single steps", i+1, maxSteps)
		}
		for n := range st.N {
			if _, err := s.step(st.Class, st.Op, st.Completion); err != nil {
				return false, fmt.Errorf("step %d: %w", i+1, err)
			}
			// Between the first and the last but one the same places are occupied.
			if (n == 0 || n >= st.N-2) && s.Race() != nil {
				return true, nil
			}
		}
	}
	return false, nil
}

// races reports whether the pair's accesses are both possible now and overlap for two distinct accessors.
func (s *State) races(p engine.Pair) bool {
	return s.present(p.First) && s.present(p.Second) && s.conflict(p.First, p.Second)
}

// Sure reports whether a pair is a race whoever issued what is in flight: where only another thread's operation would
// conflict, one operation and one thread may belong together.
func (s *State) Sure(p engine.Pair) bool {
	a, b := p.First, p.Second
	if a.InFlight {
		a, b = b, a
	}
	if a.Class != b.Class || !b.InFlight || !a.InFlight && a.Location <= b.Location || s.own(a, b) {
		return true
	}
	return s.InFlight[b.Class][b.Location] >= 2 || a.InFlight && s.InFlight[a.Class][a.Location] >= 2 || !a.InFlight && s.free(a.Class, a.Location) >= 2
}

// own reports whether one thread's access meets its own operation.
func (s *State) own(a, b engine.Accessor) bool {
	same, _ := s.together(a, b)
	return same && meet(s.access(a), s.access(b), true, true, false)
}

// accessors lists every access that some thread or operation in flight may be doing now.
func (s *State) accessors() []engine.Accessor {
	var out []engine.Accessor
	for c, class := range s.p.Classes {
		for l := range class.Blocks {
			if s.free(c, l) > 0 {
				for i := range class.Blocks[l] {
					out = append(out, engine.Accessor{Class: c, Location: l, Index: i})
				}
			}
		}
		for l, op := range class.Ops {
			if s.InFlight[c][l] > 0 {
				for i := range op.Access {
					out = append(out, engine.Accessor{Class: c, Location: l, Index: i, InFlight: true})
				}
			}
		}
	}
	return out
}

// present reports whether an accessor of a trace exists and may be doing its access now.
func (s *State) present(a engine.Accessor) bool {
	if a.Class < 0 || a.Class >= len(s.p.Classes) || a.Location < 0 || a.Index < 0 {
		return false
	}
	class := &s.p.Classes[a.Class]
	if a.InFlight {
		return a.Location < len(class.Ops) && a.Index < len(class.Ops[a.Location].Access) && s.InFlight[a.Class][a.Location] > 0
	}
	return a.Location < len(class.Blocks) && a.Index < len(class.Blocks[a.Location]) && s.free(a.Class, a.Location) > 0
}

// free counts the threads at a location that are not registered in a named barrier there: a registered thread is
// done with its accesses.
func (s *State) free(class, loc int) int {
	n := 0
	for _, t := range s.Threads[class] {
		if t.Location == loc && !t.Blocked {
			n++
		}
	}
	return n
}

func (s *State) access(a engine.Accessor) *protocol.Access {
	if a.InFlight {
		return &s.p.Classes[a.Class].Ops[a.Location].Access[a.Index]
	}
	return &s.p.Classes[a.Class].Blocks[a.Location][a.Index]
}

// conflict reports whether two accesses touch one element, one of them writing, for some assignment of the class's
// thread indices to the threads at those places. Threads of one class run the same program, so every assignment of
// indices to threads is an execution; only which two threads may be meant is constrained.
func (s *State) conflict(a, b engine.Accessor) bool {
	x, y := s.access(a), s.access(b)
	if inOneBlock := a.Class == b.Class && a.Location == b.Location && !a.InFlight && !b.InFlight; inOneBlock && a.Index != b.Index {
		first, second := x, y
		if b.Index < a.Index {
			first, second = y, x
		}
		if s.p.Unordered(first, second) && meet(x, y, true, true, false) {
			return true // a thread and its own copy
		}
	}
	if !s.p.Conflict(protocol.Use{Access: x, Class: a.Class, InFlight: a.InFlight}, protocol.Use{Access: y, Class: b.Class, InFlight: b.InFlight}) {
		return false
	}
	same, distinct := true, true
	if a.Class == b.Class {
		same, distinct = s.together(a, b)
	}
	return meet(x, y, a.Class == b.Class, same, distinct)
}

// meet reports whether two accesses touch one element, for one thread or two, as may be. One entry stands for all threads:
// its index names none.
func meet(x, y *protocol.Access, oneClass, same, distinct bool) bool {
	named := oneClass && len(x.Elements) > 1 && len(y.Elements) > 1
	for i := range x.Elements {
		for j := range y.Elements {
			who := same || distinct
			if named {
				who = i == j && same || i != j && distinct
			}
			if who && common(x, y, i, j) {
				return true
			}
		}
	}
	return false
}

// together says, for two accessors of one class, whether one thread may be behind both and whether two may. A thread
// has the operations in flight that it issued before its location; which of several is still in flight is free.
func (s *State) together(a, b engine.Accessor) (same, distinct bool) {
	if a.InFlight && !b.InFlight {
		a, b = b, a
	}
	issued := func(l int) int {
		n := 0
		for _, t := range s.Threads[a.Class] {
			if t.Location > l {
				n++
			}
		}
		return n
	}
	switch {
	case !a.InFlight && !b.InFlight:
		return false, a.Location != b.Location || s.free(a.Class, a.Location) >= 2
	case !a.InFlight:
		if a.Location <= b.Location {
			return false, true
		}
		return true, issued(b.Location) >= 2
	case a.Location == b.Location:
		return false, s.InFlight[a.Class][a.Location] >= 2
	}
	return true, issued(min(a.Location, b.Location)) >= 2
}

// common reports whether entries of two accesses have an element in common, whichever elements of its range the one
// touches that touches only some.
func common(x, y *protocol.Access, i, j int) bool {
	r, s := x.Elements[i], y.Elements[j]
	if !overlap(r, s) {
		return false
	}
	beyond := func(r, s protocol.Range) bool { return r.Lo < s.Lo || r.Hi > s.Hi }
	return (x.Parts != protocol.Somewhere || !beyond(r, s)) && (y.Parts != protocol.Somewhere || !beyond(s, r))
}

func overlap(x, y protocol.Range) bool { return max(x.Lo, y.Lo) < min(x.Hi, y.Hi) }
