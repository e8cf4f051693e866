package memory

import "slices"

// generation decides what happens in a phase, and goes on with the phases behind it.
func (h *history) generation(phase int, everyone bool) {
	needs := h.needs(phase, everyone)
	h.ending(phase, needs)
	before := h.to
	defer func() { h.to = before }()
	h.to = slices.Clone(h.at)
	h.reach(phase)
	if !h.contributes() {
		return
	}
	h.advance(&generation{phase: phase, needs: needs, left: needs}, 0, func(g *generation) {
		full := g.left == 0 && g.tx == 0 && arrives(g.list)
		if !full || !h.ready(g.list) {
			if !full && h.rest() {
				h.overflow(phase, g.list, needs)
			}
			return
		}
		turns, closings := len(h.turns), len(h.closings)
		h.spent = append(h.spent, g.list)
		old := h.expected
		for _, o := range g.list {
			if o.drop {
				h.expected -= o.count
			}
		}
		h.orders(g.list, needs, true, func() { h.generation(phase+1, everyone) })
		h.expected = old
		h.spent = h.spent[:len(h.spent)-1]
		h.turns, h.closings = h.turns[:turns], h.closings[:closings]
	})
}

// generation is a phase under way.
type generation struct {
	phase           int
	needs, left, tx int64
	list            []operation
}

func arrives(list []operation) bool {
	for _, o := range list {
		if !o.wait {
			return true
		}
	}
	return false
}

// contributes reports whether anybody can arrive in the phase.
func (h *history) contributes() bool {
	for q := range h.queues {
		if arrives(h.queues[q][h.at[q]:h.to[q]]) {
			return true
		}
	}
	return false
}

// rest reports whether operations are left.
func (h *history) rest() bool {
	for q := range h.queues {
		if h.at[q] < len(h.queues[q]) {
			return true
		}
	}
	return false
}

// advance chooses for each queue from q on how far it comes in a phase that gets all its arrivals.
func (h *history) advance(g *generation, q int, see func(*generation)) {
	if h.done() || !h.spend(1) || !h.large && g.left > h.attainable(q) {
		return
	}
	if q == len(h.queues) {
		see(g)
		return
	}
	start := h.at[q]
	defer func() { h.back(q, start) }()
	next := *g
	for next.list = next.list[:len(next.list):len(next.list)]; ; {
		h.advance(&next, q+1, see)
		if h.at[q] == h.to[q] {
			return
		}
		o := h.queues[q][h.at[q]]
		if o.wait && !h.goesOn(&o, g.phase) || o.count > next.left {
			return
		}
		next.left -= o.count
		next.tx += o.tx
		next.list = append(next.list, o)
		h.phase[o.event] = g.phase
		h.at[q]++
	}
}

// back takes operations of a queue out of their phases.
func (h *history) back(q, start int) {
	for _, o := range h.queues[q][start:h.at[q]] {
		h.phase[o.event] = -1
	}
	h.at[q] = start
}

// attainable is how many arrivals the queues from q on can make in the phase.
func (h *history) attainable(q int) int64 {
	n := int64(0)
	for ; q < len(h.queues); q++ {
		for _, o := range h.queues[q][h.at[q]:h.to[q]] {
			n += max(o.count, 0)
		}
	}
	return n
}

// reach finds how far each queue can come in a phase: up to a wait that does not go on, or an operation before which
// something has to happen that does not.
func (h *history) reach(phase int) {
	within := func(e int) bool {
		p := h.place[e]
		return p[1] < h.to[p[0]]
	}
	for changed := true; changed; {
		changed = false
		for q, list := range h.queues {
			for h.to[q] < len(list) {
				o := &list[h.to[q]]
				if o.wait && !h.goesOn(o, phase) || slices.ContainsFunc(h.before[o.event], func(e int) bool { return !within(e) }) {
					break
				}
				h.to[q]++
				changed = true
			}
		}
	}
}

// ready reports whether all that has to happen before these operations has.
func (h *history) ready(list []operation) bool {
	for i := range list {
		if !h.open(&list[i]) {
			return false
		}
	}
	return true
}

// open reports whether all that has to happen before an operation has.
func (h *history) open(o *operation) bool {
	for _, e := range h.before[o.event] {
		if h.phase[e] < 0 {
			return false
		}
	}
	return true
}

// order finds what has to happen before what, by what the model says already: operations of which one is before the other
// in the relations whose cycles it forbids do not have turns the other way round.
func (h *history) order() {
	h.before, h.place = map[int][]int{}, map[int][2]int{}
	for q, list := range h.queues {
		for i, o := range list {
			h.place[o.event] = [2]int{q, i}
		}
	}
	for _, c := range h.model.checks {
		if c.kind != checkAcyclic || c.label != "phases" && c.label != "no-thin-air" {
			continue
		}
		all := h.machine.relation()
		h.machine.closure(all, h.machine.val[c.of])
		for _, list := range h.queues {
			for _, o := range list {
				if o.wait && c.label == "no-thin-air" {
					continue // that relation has the turns behind arrivals only
				}
				for e := range h.place {
					if e != o.event && h.machine.has(all, e, o.event) {
						h.before[o.event] = append(h.before[o.event], e)
					}
				}
			}
		}
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

// ending ends a history with a phase that does not complete: all that is left happens in it.
func (h *history) ending(phase int, needs int64) {
	var list []operation
	start := slices.Clone(h.at)
	defer func() {
		for q := range h.queues {
			h.back(q, start[q])
		}
	}()
	left, tx := needs, int64(0)
	for q := range h.queues {
		for _, o := range h.queues[q][h.at[q]:] {
			if o.stuck && !h.over(&o, phase) {
				continue // it is the last of its queue
			}
			if o.wait && !h.goesOn(&o, phase) {
				return
			}
			left, tx = left-o.count, tx+o.tx
			list = append(list, o)
			h.phase[o.event] = phase
			h.at[q]++
		}
	}
	if left < 0 || left == 0 && tx == 0 && arrives(list) || !h.ready(list) {
		return
	}
	for _, before := range h.spent {
		for _, o := range before {
			if o.spins {
				return // it would have asked once more
			}
		}
	}
	turns, closings := len(h.turns), len(h.closings)
	h.spent = append(h.spent, list)
	h.orders(list, needs, false, h.settle)
	h.spent = h.spent[:len(h.spent)-1]
	h.turns, h.closings = h.turns[:turns], h.closings[:closings]
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
		if len(rest) == 0 || rest[0].wait || rest[0].count <= left || !h.open(&rest[0]) || !h.ready(list) {
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
		h.orders(list, needs, false, h.settle)
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
