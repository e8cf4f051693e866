package iteration

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// Instants is what was made at a place in the first rounds of a loop.
type Instants struct {
	round  int64
	values []value.Value // one a round, the last at the end
	Moving int           // how many rounds it last took to change; 0 if it never did
	Since  int64         // the round of the last change
}

// Remembered is how many rounds are kept.
const Remembered = 40

// First is what was made in the first of the rounds.
func First(round int64, v value.Value) *Instants {
	return &Instants{round: round, Since: round, values: []value.Value{v}}
}

// Note adds what was made in a round. It answers whether it is new: of several in one round the first counts.
func (s *Instants) Note(round int64, v value.Value) bool {
	if s.round == round || len(s.values) == Remembered {
		return false
	}
	if !value.Same(s.values[len(s.values)-1], v) {
		s.Moving, s.Since = int(round-s.Since), round
	}
	s.round, s.values = round, append(s.values, v)
	return true
}

// Seen is in how many rounds something was made.
func (s *Instants) Seen() int { return len(s.values) }

// Period is after how many rounds the values came back, all of them or all but the first, which a loop may begin with; 0 if
// they did not.
func (s *Instants) Period() int {
	for lead := range 2 {
		for p := 2; p < len(s.values)-lead; p++ {
			again := s.values[lead+p:]
			if len(again) < min(p-1, 2)+lead {
				break
			}
			if slices.EqualFunc(again, s.values[lead:lead+len(again)], value.Same) {
				return p
			}
		}
	}
	return 0
}

// Steps reports whether the values go on by steps, as counters do.
func (s *Instants) Steps() bool {
	n := len(s.values)
	return n < 3 || value.Same(value.Binary("-", s.values[n-1], s.values[n-2]), value.Binary("-", s.values[n-2], s.values[n-3]))
}

// Settled reports whether the values, from some round on, come back or go on by as much after each turn, and have done so for a whole turn.
func (s *Instants) Settled() bool {
	n := len(s.values)
	for p := 1; 2*p < n; p++ {
		by := func(i int) value.Value { return value.Binary("-", s.values[i], s.values[i-p]) }
		i := n - 1
		for i-1 >= p && (value.Same(s.values[i-1], s.values[i-1-p]) && value.Same(s.values[i], s.values[i-p]) || value.Same(by(i-1), by(i))) {
			i--
		}
		if n-i > p {
			return true
		}
	}
	return false
}

// Changes is how often the values are not as the one before.
func (s *Instants) Changes() (n int) {
	for i := range len(s.values) - 1 {
		if !value.Same(s.values[i], s.values[i+1]) {
			n++
		}
	}
	return n
}
