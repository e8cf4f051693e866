package memory

import "fmt"

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
			more, bytes = more || o.count < 0, bytes || o.tx != 0
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

// generation decides what happens in a phase, and goes on with the phases behind it.
func (h *history) generation(phase int, everyone bool) {
	needs := h.needs(phase, everyone)
	h.advance(phase, 0, needs, 0, nil, func(list []operation, tx int64, count int64) {
		full := count == needs && tx == 0 && arrives(list)
		if !full {
			h.last(phase, list, needs)
			return
		}
		turns := len(h.turns)
		h.spent = append(h.spent, list)
		old := h.expected
		for _, o := range list {
			if o.drop {
				h.expected -= o.count
			}
		}
		h.orders(list, needs, phase, true, func() { h.generation(phase+1, everyone) })
		h.expected = old
		h.spent = h.spent[:len(h.spent)-1]
		h.turns = h.turns[:turns]
	})
}

func arrives(list []operation) bool {
	for _, o := range list {
		if !o.wait {
			return true
		}
	}
	return false
}

// advance chooses for each queue from q on how far it comes in a phase.
func (h *history) advance(phase, q int, left, tx int64, list []operation, see func(list []operation, tx, count int64)) {
	if h.done() || !h.spend(1) {
		return
	}
	if q == len(h.queues) {
		needs := left
		for _, o := range list {
			needs += o.count
		}
		see(list, tx, needs-left)
		return
	}
	start := h.at[q]
	defer func() {
		for _, o := range h.queues[q][start:h.at[q]] {
			h.phase[o.event] = -1
		}
		h.at[q] = start
	}()
	for list := list[:len(list):len(list)]; ; {
		h.advance(phase, q+1, left, tx, list, see)
		if h.at[q] == len(h.queues[q]) {
			return
		}
		o := h.queues[q][h.at[q]]
		if o.wait && !h.goesOn(&o, phase) || o.count > left {
			return
		}
		left -= o.count
		tx += o.tx
		h.phase[o.event] = phase
		list = append(list, o)
		h.at[q]++
	}
}

// goesOn reports whether a wait may go on in a phase.
func (h *history) goesOn(o *operation, phase int) bool {
	return !o.stuck && (o.asks || h.over(o, phase))
}

// over reports whether the phase that a wait waits for is over in another: with parity if that has the other parity (PTX
// ISA 9.7.13.15.16).
func (h *history) over(o *operation, phase int) bool {
	if o.token < 0 {
		return int64(phase&1) != o.parity
	}
	k := h.phase[h.first(o)+o.token]
	return k >= 0 && k < phase
}

// first is the first event of the path of an operation.
func (h *history) first(o *operation) int { return h.shape.first[h.shape.events[o.event].thread] }

// last ends a history with a phase that does not complete.
func (h *history) last(phase int, list []operation, needs int64) {
	for q := range h.queues {
		for _, o := range h.queues[q][h.at[q]:] {
			if !o.stuck {
				h.overflow(phase, list, needs)
				return
			}
			if h.over(&o, phase) {
				return
			}
		}
	}
	for _, before := range h.spent {
		for _, o := range before {
			if o.spins {
				return // it would have asked once more
			}
		}
	}
	turns := len(h.turns)
	h.spent = append(h.spent, list)
	h.orders(list, needs, phase, false, h.settle)
	h.spent = h.spent[:len(h.spent)-1]
	h.turns = h.turns[:turns]
}

// overflow looks at a phase that has all its arrivals and not all its bytes, and gets one arrival more: that is undefined
// (PTX ISA 9.7.13.15.2), so where the model allows it nothing is certain.
func (h *history) overflow(phase int, list []operation, needs int64) {
	left := needs
	for _, o := range list {
		left -= o.count
	}
	for q := range h.queues {
		rest := h.queues[q][h.at[q]:]
		if len(rest) == 0 || rest[0].wait || rest[0].count <= left {
			continue
		}
		turns := len(h.turns)
		h.spent = append(h.spent, list, rest[:1])
		for _, other := range h.queues {
			for _, o := range other {
				if h.ahead(&o) {
					h.turns = append(h.turns, [2]int{rest[0].event, o.event})
				}
			}
		}
		h.undefined++
		h.orders(list, needs, phase, false, h.settle)
		h.undefined--
		h.spent = h.spent[:len(h.spent)-2]
		h.turns = h.turns[:turns]
	}
}

// ahead reports whether an operation is in no phase yet.
func (h *history) ahead(o *operation) bool {
	for _, list := range h.spent {
		for _, x := range list {
			if x.event == o.event {
				return false
			}
		}
	}
	return true
}

// orders decides what order there is within a phase. It matters where somebody saw the phase before it was complete: then
// the contribution that completes it came later; and where the phase might have been complete before all of them: bytes are
// expected without an arrival, or more come than are expected.
func (h *history) orders(list []operation, needs int64, phase int, full bool, next func()) {
	var puts, sees []operation
	alone, count, tx := false, int64(0), int64(0)
	for _, o := range list {
		if o.wait {
			sees = append(sees, o)
			continue
		}
		puts = append(puts, o)
		alone = alone || o.count == 0 && o.tx > 0 || o.count < 0
		count, tx = count+o.count, tx+o.tx
	}
	alone = alone || count == needs && tx < 0
	turns := len(h.turns)
	defer func() { h.turns = h.turns[:turns] }()
	if alone {
		h.sequences(puts, nil, needs, 0, full, func(order []operation) {
			for i := range order[:len(order)-1] {
				h.turns = append(h.turns, [2]int{order[i].event, order[i+1].event})
			}
			if full {
				h.completes(order[len(order)-1], nil, sees)
			}
			next()
			h.turns = h.turns[:turns]
		})
		return
	}
	if !full || len(sees) == 0 {
		next()
		return
	}
	for _, o := range puts {
		h.completes(o, puts, sees)
		next()
		h.turns = h.turns[:turns]
	}
}

// completes notes that o completes a phase, behind the others and those who saw it incomplete.
func (h *history) completes(o operation, puts, sees []operation) {
	for _, list := range [][]operation{puts, sees} {
		for _, x := range list {
			if x.event != o.event {
				h.turns = append(h.turns, [2]int{x.event, o.event})
			}
		}
	}
}

// sequences goes through the orders of contributions in which the phase is not complete before the last, nor at all if it
// is not to be.
func (h *history) sequences(left, order []operation, needs, tx int64, full bool, see func([]operation)) {
	if h.done() || !h.spend(1) {
		return
	}
	if len(left) == 0 {
		see(order)
		return
	}
	for i, o := range left {
		if over := needs == o.count && tx+o.tx == 0; over && !(full && len(left) == 1) {
			continue
		}
		rest := append(append([]operation(nil), left[:i]...), left[i+1:]...)
		h.sequences(rest, append(order[:len(order):len(order)], o), needs-o.count, tx+o.tx, full, see)
	}
}

// settle puts a history into the execution, goes on if the model allows it, and takes it out.
func (h *history) settle() {
	phase, turn := h.machine.bases["phase"], h.machine.bases["turn"]
	var phases, turns [][2]int
	add := func(list *[][2]int, r relation, a, b int) {
		if !h.machine.has(r, a, b) {
			h.machine.add(r, a, b)
			*list = append(*list, [2]int{a, b})
		}
	}
	for _, x := range h.turns {
		add(&turns, turn, x[0], x[1])
	}
	for i, now := range h.spent {
		for j, later := range h.spent[i+1:] {
			for _, a := range now {
				for _, b := range later {
					add(&turns, turn, a.event, b.event)
					if j == 0 && !a.wait && b.wait && h.over(&b, i+1) {
						add(&phases, phase, a.event, b.event)
					}
				}
			}
		}
	}
	if h.consistent(read) {
		h.next()
	}
	for _, x := range phases {
		h.machine.drop(phase, x[0], x[1])
	}
	for _, x := range turns {
		h.machine.drop(turn, x[0], x[1])
	}
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
