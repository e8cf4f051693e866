package memory

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Place is one element of the shared memory of a CTA.
type Place struct {
	B   *value.Block
	Cta int
	At  int64
}

// Spot is a place by the name of its block, in every CTA and every evaluation.
type Spot struct {
	Block string
	At    int64
}

// Spot is where the place is in all CTAs.
func (p Place) Spot() Spot { return Spot{p.B.Name, p.At} }

// Letter is one store to a place, in the block of accesses at.
type Letter struct {
	At int
	V  value.Value
}

// Delivery is a read that gave the value of a version of a place: the number of stores before it. Version 0 is a
// decision by what was read where nothing was stored before; the group ends there.
type Delivery struct {
	At      int
	Place   Place
	Version int
}

type (
	// Later asks to evaluate the group when others have been.
	Later struct{}
	// Undelivered ends the group where it decides by what was read where nothing was stored before.
	Undelivered struct{}
)

// Signal is a barrier, as something that one thread's arrival and another's wait have in common.
type Signal struct {
	Kind   protocol.Kind
	Object int
}

// Hearing is what a group has heard of a sender in its first operations.
type Hearing struct {
	Ops    int            // how many these are
	Last   int            // the last arrival of the sender that a wait met, -1 where none did
	Waits  bool           // the last of them that waits is a wait on an mbarrier,
	On     Signal         // this one,
	Phase  int            // for this phase
	Nth    map[Signal]int // how often the group came to a barrier
	Phases map[int]int    // the last that it waited for, by mbarrier
}

// Hear takes the next operation of the group.
func (h *Hearing) Hear(o *protocol.Op, arrivals map[Signal][]int) {
	var s Signal
	k := 0
	switch o.Kind {
	case protocol.Wait:
		s = Signal{protocol.Wait, o.Object}
		k = waitedFor(h.Phases, o)
	case protocol.NamedSync, protocol.NamedArrive:
		s = Signal{protocol.NamedSync, o.Object}
		if h.Nth[s]++; o.Kind == protocol.NamedArrive {
			return
		}
		k = h.Nth[s] - 1
	case protocol.ClusterWait:
		s = Signal{protocol.ClusterWait, 0}
		h.Nth[s]++
		k = h.Nth[s] - 1
	default:
		return
	}
	if list := arrivals[s]; k >= 0 && k < len(list) {
		h.Last = max(h.Last, list[k])
	}
	h.Waits, h.On, h.Phase = o.Kind == protocol.Wait, s, k
}

// waitedFor is the phase that a wait of a thread is for: the first that is not before the one it waited for last and has the
// parity; -1 is the one before a fresh mbarrier's first.
func waitedFor(phase map[int]int, o *protocol.Op) int {
	last, waited := phase[o.Object]
	if !waited {
		last = -o.Parity
	} else if last&1 != o.Parity {
		last++
	}
	phase[o.Object] = last
	return last
}

// Fill is a write of elements of a buffer, and the wait of the writer before it that a commit of another group ends.
type Fill struct {
	Elements []protocol.Range
	Wait     *protocol.Op
}

// OnlyWait is the mbarrier that every write of some elements but the first ones waits for, -1 where there are several.
func OnlyWait(fills []Fill, elements []protocol.Range) int {
	on := -1
	for _, f := range fills {
		switch {
		case f.Wait == nil || !protocol.Overlap(f.Elements, elements):
		case on >= 0 && on != f.Wait.Object:
			return -1
		default:
			on = f.Wait.Object
		}
	}
	return on
}

// Commits reports whether an operation is an asynchronous arrival, on one of some mbarriers where these are given.
func Commits(o *protocol.Op, on map[int]bool) bool {
	return o.Kind == protocol.Issue && slices.ContainsFunc(o.Effects, func(e protocol.Effect) bool {
		return e.Arrivals > 0 && (on == nil || on[e.Mbar])
	})
}
