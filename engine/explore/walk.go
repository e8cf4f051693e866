package explore

import (
	"hash/maphash"
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/protocol"
)

// walker expands stored states: it finds their successors, looks which of these are stored already, and looks at the
// others. It writes down what it finds, in order, and changes nothing: that is for the search.
type walker struct {
	*judge  // with a machine of its own
	s       *search
	code    codec
	cur     protocol.State
	next    protocol.State // cur, but while a step is looked at
	occ     []int32        // occupied slots of cur
	slots   []int32        // those that may be occupied in next
	touched []int32        // those that the step to next changed

	arena      []byte
	successors []successor
	steps      []note // on steps, in order
	news       []note // on successors that are not stored yet, in order
}

// successor is a state that one step leads to.
type successor struct {
	hash       uint64
	start, end uint32 // of its encoding in the arena
	move       move
}

// note is something found on a step or in a state.
type note struct {
	at     int  // the successor that it leads to, or that is the state
	stuck  bool // no step is possible
	prop   protocol.Property
	object int
	slot   int32 // of the step, -1 for a state
	pair   *engine.Pair
	unsure limit.Reason // why the property cannot be said to hold; none for a violation
}

func (s *search) newWalker() *walker {
	j, m := *s.judge, *s.judge.m
	m.Touched, m.Credits = nil, nil
	j.m = &m
	return &walker{judge: &j, s: s, code: newCodec(&m), cur: m.Start(), next: m.Start(), occ: j.occupied(m.Start())}
}

// walk expands state i.
func (w *walker) walk(i int) {
	w.arena, w.successors, w.steps, w.news = w.arena[:0], w.successors[:0], w.steps[:0], w.news[:0]
	w.expand(i)
}

// expand writes down every successor of state i.
func (w *walker) expand(i int) {
	w.load(i)
	moved := false
	for _, slot := range w.occ {
		at := &w.m.Slots[slot]
		switch at.Where {
		case protocol.AtLocation:
			if at.Op == len(w.p.Classes[at.Class].Ops) || !w.m.Enabled(w.cur, at.Class, at.Op) {
				continue
			}
			moved = true
			w.arrive(slot, at, w.m.Step(w.next, at.Class, at.Op, 1))
			w.restore()
		case protocol.InFlight:
			moved = true
			w.arrive(slot, at, w.m.Complete(w.next, at.Class, at.Op, 1))
			w.restore()
		}
	}
	if !moved {
		w.steps = append(w.steps, note{at: len(w.successors), stuck: true})
	}
}

// load makes state i the current one.
func (w *walker) load(i int) {
	for _, k := range w.occ {
		w.next[k] = 0
	}
	w.code.decode(w.s.store.at(i), w.cur, w.occ)
	w.occ = append(w.occ[:0], w.code.occ...)
	for _, k := range w.occ {
		w.next[k] = w.cur[k]
	}
	copy(w.next[len(w.m.Slots):], w.cur[len(w.m.Slots):])
}

// restore takes the last step back.
func (w *walker) restore() {
	for _, k := range w.touched {
		w.next[k] = w.cur[k]
	}
	copy(w.next[len(w.m.Slots):], w.cur[len(w.m.Slots):])
}

// occupiable lists, in order, the slots that were occupied before the last step or were touched by it.
func (w *walker) occupiable() []int32 {
	slices.Sort(w.touched)
	out, k := w.slots[:0], 0
	for _, i := range w.occ {
		for ; k < len(w.touched) && w.touched[k] < i; k++ {
			out = append(out, w.touched[k])
		}
		out = append(out, i)
	}
	w.slots = append(out, w.touched[k:]...)
	return w.slots
}

// arrive looks at the step to next, and writes next down.
func (w *walker) arrive(slot int32, at *protocol.Slot, ok bool) {
	w.touched = append(w.touched[:0], w.m.Touched...)
	if w.s.attrib && len(w.m.Credits) > 0 {
		object, bad, unsure := w.misattributed(at.Class, at.Op)
		if bad && ok {
			w.steps = append(w.steps, note{at: len(w.successors), prop: protocol.Attribution, object: object, slot: slot})
		}
		if unsure {
			w.steps = append(w.steps, note{at: len(w.successors), prop: protocol.Attribution, unsure: limit.Unshown.Says(spans)})
		}
	}
	if !ok {
		// What the hardware does now is undefined; nothing beyond means anything.
		w.steps = append(w.steps, note{at: len(w.successors), prop: protocol.Arrivals, object: w.m.Credits[len(w.m.Credits)-1].Mbar, slot: slot})
		return
	}
	start := len(w.arena)
	w.arena = w.code.encode(w.arena, w.next, w.occupiable())
	enc := w.arena[start:]
	hash := maphash.Bytes(w.s.store.seed, enc)
	if _, known := w.s.store.place(hash, enc); known {
		w.arena = w.arena[:start]
		return
	}
	w.inspect(len(w.successors))
	w.successors = append(w.successors, successor{hash: hash, start: uint32(start), end: uint32(len(w.arena)), move: move(slot)})
}

// spans is why Attribution is not decided.
const spans = "threads of one class arrive for several phases with one operation"

// inspect checks the properties of single states on next, which is successor k.
func (w *walker) inspect(k int) {
	if w.s.phase {
		if object, bad := w.judge.phase(w.next, w.code.occ); bad {
			w.news = append(w.news, note{at: k, prop: protocol.Phase, object: object, slot: -1})
		}
	}
	if w.s.life {
		if object, bad := w.lifetime(w.next, w.code.occ); bad {
			w.news = append(w.news, note{at: k, prop: protocol.Lifetime, object: object, slot: -1})
		}
	}
	if w.s.race {
		pair, unsure := w.judge.race(w.next, w.code.occ)
		if pair != nil {
			w.news = append(w.news, note{at: k, prop: protocol.Race, object: access(w.p, pair.First).Buffer, slot: -1, pair: pair})
		} else if unsure {
			w.news = append(w.news, note{at: k, prop: protocol.Race, unsure: limit.Operation.Says("whose operation is in flight is not modelled")})
		}
	}
}
