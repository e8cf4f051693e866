package memory

import (
	"fmt"
)

// Phases of barrier objects are decided before reads: for each object which contributions belong to which phase, and
// which phase each wait saw. Contributions commute within a phase (PTX ISA 9.7.13.15.6), so their order is left open where
// it does not matter; what must have happened in which order goes into the relation turn, and the model says whether
// causality order agrees with it.

// maxSignals bounds the operations on an object times the threads and engines that do them, which is how deep the search
// of its phases goes.
const maxSignals = 1 << 14

// operation is one event of an object.
type operation struct {
	*contribution
	event int
	wait  bool
	stuck bool // a wait that never ends
	spins bool // a question asked for ever
}

// history is a way in which the phases of one object may go.
type history struct {
	*search
	object   int
	expected int64 // arrivals that a phase takes; of barriers without a number see needs
	queues   [][]operation
	at       []int // by queue: operations that are behind us
	spent    [][]operation
	turns    [][2]int
	next     func()

	before map[int][]int  // by event: those of the object that have to happen before
	place  map[int][2]int // by event: its queue, and where in it
	to     []int          // by queue: how far it can come in the phase
	large  bool           // an arrival counts for more than one
}

// phases decides the phases of the i-th object and of those behind it, and goes on with next.
func (s *search) phases(i int, next func()) {
	if i == len(s.program.objects) {
		next()
		return
	}
	h := &history{search: s, object: i, expected: s.program.objects[i].count, next: func() { s.phases(i+1, next) }}
	setups := h.collect()
	total, more, bytes := 0, false, false
	for _, q := range h.queues {
		total += len(q)
		for _, o := range q {
			more, bytes, h.large = more || o.count < 0, bytes || o.tx != 0, h.large || o.count > 1
		}
	}
	switch {
	case more && bytes:
		s.doubt = "cp.async.mbarrier.arrive without .noinc on an mbarrier that bytes complete, too, is not modelled"
		return
	case total == 0:
		h.next()
		return
	case total*len(h.queues) > maxSignals:
		s.doubt = fmt.Sprintf("%d operations on %s are too many", total, s.program.names[s.program.objects[i].name].text)
		return
	}
	o := &s.program.objects[i]
	if o.kind == mbarrier && (o.count == 0 && setups != 1 || o.count > 0 && setups > 0) {
		s.doubt = fmt.Sprintf("mbarrier %s is to be initialized once, and is not: PTX does not define that", s.program.names[o.name].text)
		return
	}
	h.at = make([]int, len(h.queues))
	h.order()
	h.generation(0, o.kind != mbarrier && o.count == 0)
}

// collect lists the operations on the object: those of each thread and of each engine in their order.
func (h *history) collect() (setups int) {
	for t, p := range h.shape.paths {
		queues := map[int]int{}
		for i := range p.events {
			e := &p.events[i]
			if e.signal == nil || e.signal.object != h.object {
				continue
			}
			if e.kind == eventSetup {
				setups++
				h.expected = e.signal.count
				continue
			}
			q, ok := queues[e.agent]
			if !ok {
				q = len(h.queues)
				queues[e.agent] = q
				h.queues = append(h.queues, nil)
			}
			o := operation{contribution: e.signal, event: h.shape.first[t] + i, wait: e.kind == eventWait}
			o.stuck = p.end == waits && i == len(p.events)-1
			for _, x := range p.spins {
				o.spins = o.spins || x == i
			}
			h.queues[q] = append(h.queues[q], o)
		}
	}
	return setups
}

// needs is how many arrivals a phase takes. A barrier without a number waits for the threads that have not ended (PTX ISA
// 9.7.13.1, 9.7.13.3, exit): those of its CTA or cluster that mention it and arrive once more, or never end.
func (h *history) needs(phase int, everyone bool) int64 {
	if !everyone {
		return h.expected
	}
	n := int64(0)
	for t := range h.program.threads {
		if !h.mentions(t) {
			continue
		}
		arrivals := 0
		for i := range h.shape.paths[t].events {
			if e := &h.shape.paths[t].events[i]; e.kind == eventArrive && e.signal.object == h.object {
				arrivals++
			}
		}
		if arrivals > phase || h.shape.paths[t].end != exits {
			n++
		}
	}
	return n
}

func (h *history) mentions(t int) bool {
	for i := range h.program.threads[t].code {
		in := &h.program.threads[t].code[i]
		if in.op >= opInit && in.op <= opSync && in.signal.object == h.object {
			return true
		}
	}
	return false
}

// passed is whether a wait that only asks found its phase over.
func (s *search) passed(event int) (int64, bool) {
	h := history{search: s}
	o := operation{contribution: s.shape.events[event].signal, event: event}
	if s.phase[event] < 0 {
		return 0, false
	}
	if h.over(&o, s.phase[event]) {
		return 1, true
	}
	return 0, true
}
