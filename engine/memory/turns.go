package memory

// orders decides what order there is within a phase. It matters where somebody saw the phase before it was complete: then
// the contribution that completes it came later; and where the phase might have been complete before all of them: bytes are
// expected without an arrival, or more come than are expected.
func (h *history) orders(list []operation, needs int64, full bool, next func()) {
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
				h.turns = append(h.turns, closing{sees: sees}.by(order[len(order)-1])...)
			}
			next()
			h.turns = h.turns[:turns]
		})
		return
	}
	switch {
	case full && len(sees) > 0 && len(puts) == 1:
		h.turns = append(h.turns, closing{sees: sees}.by(puts[0])...)
	case full && len(sees) > 0:
		h.closings = append(h.closings, closing{puts, sees})
		defer func() { h.closings = h.closings[:len(h.closings)-1] }()
	}
	next()
}

// closing is a phase that somebody saw before it was complete: one of the contributions completes it, behind the others and
// those who saw it.
type closing struct{ puts, sees []operation }

// by is what turns follow if o completes the phase.
func (c closing) by(o operation) (turns [][2]int) {
	for _, list := range [][]operation{c.puts, c.sees} {
		for _, x := range list {
			if x.event != o.event {
				turns = append(turns, [2]int{x.event, o.event})
			}
		}
	}
	return turns
}

// closable reports whether each phase from the i-th on that was seen before it was complete can be completed by some
// contribution. Nothing else depends on which, so it is asked once all else is decided.
func (s *search) closable(i int) bool {
	if i == len(s.closings) {
		return true
	}
	turn := s.machine.bases["turn"]
	for _, o := range s.closings[i].puts {
		var added [][2]int
		for _, x := range s.closings[i].by(o) {
			if !s.machine.has(turn, x[0], x[1]) {
				s.machine.add(turn, x[0], x[1])
				added = append(added, x)
			}
		}
		ok := s.consistent(read) && s.closable(i+1)
		for _, x := range added {
			s.machine.drop(turn, x[0], x[1])
		}
		if ok || s.halted {
			return ok
		}
	}
	return false
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
