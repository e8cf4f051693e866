package memory

// jump goes to the target of a branch, unless the path ends there.
//
// A round of a loop that only reads, and after which no register that is still to be read has another value, may be left
// out: without its events the execution is consistent too, as every axiom fails for more events if it fails for less, and
// it ends in the same state. So a wait needs one round, the last, and is searched completely. Where nobody ever writes
// what the round waits for, it is gone round for ever: that is how a thread fails to end. For races one such round is kept,
// as its reads may race where those of the last round do not. One of one thread is enough: a race is between two accesses,
// one of which writes, which such a round does not; all the others may be left out as before, and what is left is ordered
// by no more than it was. None is needed where its reads race with nobody.
//
// The same is true of a read-modify-write that writes back what it read, such as a cas that fails, where all accesses to
// the cell are morally strong with each other. Say it reads from v and writes w. Coherence order of the cell is total then,
// and by atomicity w follows v at once; so whoever read from w may read from v, the same value with the same writes
// behind it, and what was observed through w from v is observed from v. No order is added, only those of w are gone.
func (w *walker) jump(s *state, in *instruction) bool {
	back := s.visits[in.target].events >= 0 && in.target <= s.at
	if !back {
		s.at = in.target
		return true
	}
	v := &s.visits[in.target]
	if w.mode == everyRound || !w.idle(s, v.events, v.wrote, in.target) {
		if v.rounds++; v.rounds > w.bound {
			w.cut = in.line
			return false
		}
		s.at = in.target
		return true
	}
	switch w.mode {
	case Termination:
		for i := v.events; i < len(s.events); i++ {
			switch s.events[i].kind {
			case eventRead, eventWait:
				s.spins = append(s.spins, i)
			case eventWrite:
				s.events[i].kind = eventNothing
			}
		}
		w.finish(s, spins)
	case Race:
		if s.spun == 0 && w.mayRace(s, v.events) {
			s.spun = 1
			s.at = in.target
			return true
		}
	}
	return false
}

// mayRace reports whether a read since an event may race with anybody.
func (w *walker) mayRace(s *state, since int) bool {
	for i := since; i < len(s.events); i++ {
		switch e := &s.events[i]; e.kind {
		case eventRead:
			if !w.quiet[w.program.names[e.in.name].cell] {
				return true
			}
		case eventWait:
			if w.program.objects[e.signal.object].initialized() {
				return true
			}
		}
	}
	return false
}

// idle reports whether the round since an event has done nothing that lasts.
func (w *walker) idle(s *state, since int, wrote []bool, head int) bool {
	for i := since; i < len(s.events); i++ {
		switch s.events[i].kind {
		case eventWrite:
			if !w.neutral(s, &s.events[i]) {
				return false
			}
		case eventBarrier, eventSetup, eventArrive, eventGroups:
			return false
		}
	}
	for r, is := range wrote {
		if is && w.live[head][r] {
			return false
		}
	}
	return true
}

// neutral reports whether a write is of a read-modify-write that leaves its cell as it is, and nobody can tell.
func (w *walker) neutral(s *state, e *event) bool {
	if !e.rmw || !w.quiet[w.program.names[e.in.name].cell] {
		return false
	}
	a, b := e.in.args[0], e.in.args[1]
	switch e.in.fn {
	case "add", "sub", "or", "xor":
		return a.kind == number && a.imm == 0
	case "cas":
		return a.kind == number && (a == b || s.differs(s.events[e.source].value, a.imm))
	}
	return false
}

// differs reports whether a branch taken says that a node is not a number.
func (s *state) differs(n int, v int64) bool {
	is := func(m int) bool { return s.nodes[m].op == nodeNumber && s.nodes[m].imm == v }
	for _, t := range s.tests {
		if (t.a == n && is(t.b) || t.b == n && is(t.a)) && (t.fn == "beq" && !t.want || t.fn == "bne" && t.want) {
			return true
		}
	}
	return false
}

// quiet tells for each cell whether all accesses to it are morally strong with each other.
func quiet(p *Program) []bool {
	type access struct {
		thread int
		in     *instruction
	}
	accesses := make([][]access, len(p.cells))
	for t := range p.threads {
		for i := range p.threads[t].code {
			if in := &p.threads[t].code[i]; in.op <= opRMW {
				cell := p.names[in.name].cell
				accesses[cell] = append(accesses[cell], access{t, in})
			}
			for k := range p.threads[t].code[i].parts {
				if in := &p.threads[t].code[i].parts[k]; in.op <= opRMW {
					cell := p.names[in.name].cell
					accesses[cell] = append(accesses[cell], access{t, in})
				}
			}
		}
	}
	out := make([]bool, len(p.cells))
	for c, list := range accesses {
		out[c] = true
		for _, a := range list {
			for _, b := range list {
				if a.in.proxy != b.in.proxy || p.names[a.in.name].address != p.names[b.in.name].address ||
					!p.includes(a.in.scope, a.thread, b.thread) {
					out[c] = false
				}
			}
		}
	}
	return out
}
