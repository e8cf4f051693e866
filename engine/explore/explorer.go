package explore

import (
	"math/bits"
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// explorer is one run of the real semantics. It knows which slots are occupied: of the thousands that a launch has, few
// are at a time.
type explorer struct {
	state  protocol.State
	steps  []engine.Step
	broken bool
	taken  []uint64 // a bit a slot
}

func (j *judge) newExplorer() *explorer {
	e := &explorer{state: j.m.Start(), taken: make([]uint64, len(j.m.Slots)/64+1)}
	for i := range j.m.Slots {
		e.note(int32(i))
	}
	return e
}

func (e *explorer) clone() *explorer {
	return &explorer{state: slices.Clone(e.state), steps: slices.Clone(e.steps), broken: e.broken, taken: slices.Clone(e.taken)}
}

// note brings what is known of a slot up to date.
func (e *explorer) note(slot int32) {
	bit := uint64(1) << (slot & 63)
	if e.state[slot] > 0 {
		e.taken[slot>>6] |= bit
	} else {
		e.taken[slot>>6] &^= bit
	}
}

// next is the first occupied slot from one on, -1 without any.
func (e *explorer) next(from int) int {
	w := from >> 6
	if w >= len(e.taken) {
		return -1
	}
	for rest := e.taken[w] >> (from & 63) << (from & 63); ; rest = e.taken[w] {
		if rest != 0 {
			return w<<6 + bits.TrailingZeros64(rest)
		}
		if w++; w == len(e.taken) {
			return -1
		}
	}
}

// occupied lists the occupied slots.
func (e *explorer) occupied(occ []int32) []int32 {
	for i := e.next(0); i >= 0; i = e.next(i + 1) {
		occ = append(occ, int32(i))
	}
	return occ
}
