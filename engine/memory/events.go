package memory

var proxySets = [...]string{
	Generic: "GENERIC", Surface: "SURFACE", Texture: "TEXTURE", Constant: "CONSTANT", Alias: "ALIAS", Async: "ASYNC", Tensormap: "TENSORMAP",
}

// fill writes the relations that the events alone decide.
func (s *search) fill(m *machine, k *skeleton) {
	for _, r := range m.bases {
		clear(r)
	}
	for _, r := range m.picks {
		clear(r)
	}
	id, loc, vloc, covers := m.bases["id"], m.bases["loc"], m.bases["vloc"], m.bases["covers"]
	for i := range k.events {
		a := &k.events[i]
		s.sets(m, i, a)
		m.add(id, i, i)
		for j := range k.events {
			b := &k.events[j]
			if a.cell >= 0 && a.cell == b.cell {
				m.add(loc, i, j)
				if a.addr >= 0 && a.addr == b.addr {
					m.add(vloc, i, j)
				}
			}
			if covers != nil && s.covers(a, b) && s.covers(b, a) {
				m.add(covers, i, j)
			}
			if a.thread >= 0 && b.thread >= 0 {
				s.pair(m, i, j)
			}
		}
		if a.kind == eventWrite && a.rmw {
			m.add(m.bases["rmw"], k.first[a.thread]+a.source, i)
		}
	}
	s.engines(m, k)
}

// pair writes what relates two events of threads.
func (s *search) pair(m *machine, i, j int) {
	a, b := &s.shape.events[i], &s.shape.events[j]
	if a.thread == b.thread && i < j && a.agent == b.agent {
		m.add(m.bases["po"], i, j)
	}
	if a.thread == b.thread && b.deps.has(a.local) {
		m.add(m.bases["dep"], i, j)
	}
	if s.program.includes(a.in.scope, a.thread, b.thread) && s.program.includes(b.in.scope, b.thread, a.thread) {
		m.add(m.bases["inscope"], i, j)
	}
	if s.program.sameCTA(a.thread, b.thread) {
		m.add(m.bases["samecta"], i, j)
	}
}

// engines writes what orders events of engines: behind what their thread did before (issue), behind the copies that a
// tcgen05.commit tracks, before the wait for their group (done).
func (s *search) engines(m *machine, k *skeleton) {
	issue, done := m.bases["issue"], m.bases["done"]
	for i := range k.events {
		e := &k.events[i]
		if e.thread < 0 {
			continue
		}
		first := k.first[e.thread]
		if e.agent > 0 {
			for j := range e.asked {
				if k.events[first+j].agent == 0 {
					m.add(issue, first+j, i)
				}
			}
		}
		for _, j := range e.after {
			if e.agent > 0 {
				m.add(m.bases["po"], first+j, i)
			} else {
				m.add(done, first+j, i)
			}
		}
	}
}

// covers reports whether a, if it is a proxy fence restricted to a space or to a cell, reaches b.
func (s *search) covers(a, b *occurrence) bool {
	if a.thread < 0 || b.cell < 0 || a.in.op != opProxyFence || a.kind != eventFence {
		return true
	}
	if a.in.only >= 0 && a.in.proxy == Tensormap {
		return s.program.names[a.in.only].address == b.addr
	}
	return a.in.space == AnySpace || s.program.spaceOf(b.cell) == a.in.space
}

var kindSets = map[eventKind]string{
	eventRead: "R", eventWrite: "W", eventBarrier: "B", eventFence: "F", eventSetup: "SETUP", eventArrive: "ARRIVE", eventWait: "WAIT",
}

func (s *search) sets(m *machine, i int, e *occurrence) {
	put := func(name string) {
		if set := m.bases[name]; set != nil {
			set[i>>6] |= 1 << (i & 63)
		}
	}
	if e.kind == eventInit {
		put("W")
		put("INIT")
		return
	}
	kind, ok := kindSets[e.kind]
	if !ok {
		return
	}
	put(kind)
	sem := e.in.sem
	switch {
	case e.kind == eventFence && e.in.fn == "init":
		put("FINIT") // releases mbarrier.init alone, so it is no fence of the model otherwise
		put("STRONG")
		put("GENERIC")
		return
	case e.kind == eventSetup:
		put("GENERIC")
		return
	}
	if sem.acquires() && (e.kind == eventRead || e.kind == eventFence || e.kind == eventWait) {
		put("ACQ")
	}
	if sem.releases() && (e.kind == eventWrite || e.kind == eventFence || e.kind == eventArrive) {
		put("REL")
	}
	if e.kind == eventFence && sem == seqCst {
		put("SC")
	}
	if e.kind == eventRead && e.rmw && e.in.dst < 0 {
		put("RED")
	}
	if e.agent > 0 {
		put("ENGINE")
	}
	put(proxySets[e.in.proxy])
	if e.in.scope != NoScope {
		put("STRONG")
	}
}

// sameCTA reports whether two threads are of one CTA.
func (p *Program) sameCTA(a, b int) bool {
	x, y := &p.threads[a], &p.threads[b]
	return x.gpu == y.gpu && x.cta == y.cta
}

// includes reports whether a scope of one thread has another in it. No scope has none, not even its own.
func (p *Program) includes(scope Scope, a, b int) bool {
	x, y := &p.threads[a], &p.threads[b]
	switch scope {
	case CTA:
		return p.sameCTA(a, b)
	case Cluster:
		return x.gpu == y.gpu && x.cluster == y.cluster
	case GPU:
		return x.gpu == y.gpu
	}
	return scope == Sys
}
