package reference

import "slices"

// step lets a thread do its next event, or blocks it there. The meaning of each is the PTX manual's; the sections are those of
// PTX ISA 9.7.13 but for accesses and copies.
func (r *run) step(i int, e *event) {
	switch e.kind {
	case read, write, atomic:
		r.touch(i, r.clocks[i].own, i, e, e.element)
		r.pass(i)
	case warpSync, elect, namedSync, namedArrive:
		lanes := e.kind == warpSync || e.kind == elect
		if !lanes && (e.object < 0 || e.object > 15 || e.n != wide && (e.n <= 0 || e.n%32 != 0 || e.n > r.threads)) {
			r.fail("a barrier that there is not", e, nil)
			return
		}
		if lanes && e.n>>(i%32)&1 == 0 {
			r.fail("a lane outside of its mask", e, nil)
			return
		}
		r.put(i, blocked)
		r.converge(i / 32)
	case initGate, arrive, expect, wait:
		r.gate(i, e)
	case bulkCopy:
		r.issue(i, e, e.other, 4*e.n)
	case copyAsync:
		r.copy(i, r.threads+i, r.groups[i]+1, e)
		r.pass(i)
	case commitGroup:
		r.groups[i]++
		r.pass(i)
	case waitGroup: // 9.7.9.25.3.3: at most n of the newest groups are left
		c := &r.clocks[i]
		if over := r.groups[i] - int32(e.n); over > c.others[r.threads+i] {
			c.others = slices.Clone(c.others)
			c.others[r.threads+i] = over
		}
		r.pass(i)
	}
}

// copy is the writes of a copy that a thread issues: ordered behind what the thread did before, and known to whoever knows that it
// is over.
func (r *run) copy(i, component int, at int32, e *event) {
	copied := *e
	copied.kind = write
	copied.value = int64(i)<<40 + int64(e.element)
	for n := range e.n {
		r.touch(component, at, i, &copied, e.element+n)
	}
}

// issue starts a bulk copy.
func (r *run) issue(i int, e *event, to, bytes int) {
	if !r.initialised(i, to, e) {
		return
	}
	r.copy(i, r.next, 1, e)
	r.copies = append(r.copies, flight{component: r.next, gate: to, bytes: bytes})
	r.next++
	r.pass(i)
}

// land completes the copy that has been on its way for longest.
func (r *run) land() {
	f := r.copies[0]
	r.copies = r.copies[1:]
	g := &r.gates[f.gate]
	g.tx -= f.bytes
	g.coming.known[f.component] = 1
	r.over(f.gate)
}

// initialised asks whether an mbarrier may be used: it has been initialised, and that is known to be over.
func (r *run) initialised(i, o int, e *event) bool {
	g := &r.gates[o]
	if !g.live || r.clocks[i].of(i, g.inits.thread) < g.inits.time {
		r.fail("use before init", e, g.inits.event)
		return false
	}
	return true
}

// gate executes an operation on an mbarrier (9.7.13.15).
func (r *run) gate(i int, e *event) {
	g := &r.gates[e.object]
	if e.kind == initGate {
		if g.live || e.n <= 0 {
			r.fail("init twice", e, g.inits.event)
			return
		}
		*g = gate{live: true, pending: e.n, expected: e.n, coming: gathered{known: make(clock, r.size)}, seen: map[int]int{}, inits: access{i, r.clocks[i].own, e}}
		r.pass(i)
		return
	}
	if !r.initialised(i, e.object, e) {
		return
	}
	if e.kind == wait {
		if g.phase&1 == e.n {
			r.put(i, blocked)
			return
		}
		if c := &r.clocks[i]; g.got == nil || !alike(c.others, g.had) {
			g.had, g.got = c.others, slices.Clone(c.others)
			g.got.join(g.done)
		}
		r.clocks[i].others = g.got
		if g.phase-g.seen[i] > 2 { // parity tells the current phase from the one before only (9.7.13.15.16)
			r.vague = "a wait that comes phases late"
		}
		g.seen[i] = g.phase
		r.pass(i)
		return
	}
	n := e.n
	if e.kind == expect {
		g.tx += e.n
		n = 1
	}
	if n <= 0 || n > g.pending {
		r.fail("arrivals", e, nil)
		return
	}
	g.pending -= n
	g.coming.add(i, r.clocks[i])
	r.clocks[i].own++
	r.over(e.object)
	r.pass(i)
}

// over ends the phase of an mbarrier if nothing is missing, and wakes who waits for it.
func (r *run) over(o int) {
	g := &r.gates[o]
	if g.pending > 0 || g.tx != 0 {
		return
	}
	g.phase++
	g.pending = g.expected
	g.done, g.had, g.got = slices.Clone(g.coming.known), nil, nil
	for i, w := range r.where {
		if w != blocked {
			continue
		}
		if e := &r.traces[i][r.pc[i]]; e.kind == wait && e.object == o {
			r.put(i, ready)
		}
	}
}

// converge lets a warp take part in a barrier once all of its lanes that have not exited stand at it: for a barrier of lanes,
// those of its mask (9.7.13.1, 9.7.13.2).
func (r *run) converge(w int) {
	lanes := r.warps[w]
	var room [32]int
	at := room[:0]
	for _, l := range lanes {
		stands := r.where[l] == blocked && r.traces[l][r.pc[l]].kind <= namedArrive
		if stands {
			at = append(at, l)
		} else if !r.partial {
			return
		}
	}
	for len(at) > 0 {
		e := &r.traces[at[0]][r.pc[at[0]]]
		same, other := r.part(at)
		at = other
		if e.kind == warpSync || e.kind == elect {
			if r.lanes(w, same, e) {
				r.converge(w)
				return
			}
			continue
		}
		if len(same) == len(lanes) {
			if r.named[e.object].warps>>w&1 != 0 {
				r.vague = "a warp came twice"
				return
			}
			if len(same) < 32 {
				r.vague = "lanes exited before a barrier of their warp"
			}
			r.register(w, same, e)
		}
	}
}

// part divides lanes that stand at barriers into those that stand where the first does, and others.
func (r *run) part(at []int) (same, other []int) {
	e := &r.traces[at[0]][r.pc[at[0]]]
	for i, l := range at {
		f := &r.traces[l][r.pc[l]]
		alike := f.kind == e.kind && f.object == e.object && f.n == e.n
		switch {
		case alike && other == nil:
			same = at[:i+1]
		case alike:
			same = append(same[:len(same):len(same)], l)
		default:
			other = append(other, l)
		}
	}
	return same, other
}

// lanes lets lanes of a warp on if all that are named have come, and reports whether it did.
func (r *run) lanes(w int, same []int, e *event) bool {
	missing := uint32(e.n)
	for _, l := range same {
		missing &^= 1 << (l % 32)
	}
	for _, l := range r.warps[w] {
		if missing>>(l%32)&1 != 0 {
			return false
		}
	}
	if missing&r.there(w) != 0 { // the programming guide waits for those who have not exited, PTX for all
		r.vague = "lanes exited before a barrier of their warp"
	}
	if e.kind == warpSync {
		known := gathered{known: make(clock, r.size)}
		for _, l := range same {
			known.add(l, r.clocks[l])
		}
		r.meet(same, known.known)
	}
	r.leave(same)
	return true
}

// there is the lanes that a warp began with.
func (r *run) there(w int) uint32 { return uint32(1<<min(32, r.threads-32*w) - 1) }

// register counts a warp in a named barrier.
func (r *run) register(w int, lanes []int, e *event) {
	m := &r.named[e.object]
	switch {
	case m.n == 0:
		*m = meeting{n: e.n, known: gathered{known: make(clock, r.size)}}
	case m.n != e.n && !(m.n == r.threads && e.n == wide || m.n == wide && e.n == r.threads):
		r.fail("counts differ", e, nil)
		return
	}
	m.warps |= 1 << w
	m.threads += 32
	for _, l := range lanes {
		m.known.add(l, r.clocks[l])
	}
	if e.kind == namedArrive {
		for _, l := range lanes {
			r.clocks[l].own++
		}
		r.leave(lanes)
	} else {
		m.arrived = append(m.arrived, lanes...)
	}
	r.complete(e.object)
}

// complete ends a meeting that everyone has come to.
func (r *run) complete(id int) {
	m := &r.named[id]
	switch {
	case m.n == 0:
		return
	case m.n == wide:
		for w, lanes := range r.warps {
			if len(lanes) > 0 && m.warps>>w&1 == 0 {
				return
			}
		}
	case m.threads < m.n:
		return
	}
	if m.n != wide && m.threads > m.n {
		r.vague = "more than a barrier is for"
	}
	done := *m
	*m = meeting{}
	r.meet(done.arrived, done.known.known)
	r.leave(done.arrived)
}

// meet lets threads know what is known to them all.
func (r *run) meet(to []int, known clock) {
	for _, l := range to {
		r.clocks[l].others = known
		r.clocks[l].own++
	}
}

// leave lets threads on that stand at the same barrier. None of them stands there any more when the first goes on, which may exit.
func (r *run) leave(lanes []int) {
	for _, l := range lanes {
		r.put(l, ready)
	}
	for _, l := range lanes {
		r.pass(l)
	}
}
