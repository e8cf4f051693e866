package memory

// occurrence is an event of the execution under search.
type occurrence struct {
	*event
	thread int // index, or -1: an initial write
	local  int // index in its path
	cell   int // or -1
	addr   int // virtual address, or -1
}

// skeleton is a path for each thread: the events of an execution, without who reads from whom.
type skeleton struct {
	paths   []*path
	events  []occurrence
	first   []int   // event of each path
	nodes   []int   // first node of each path
	writers [][]int // by cell
	reads   []int   // in the order in which they are decided
}

func (s *search) lay(paths []*path) *skeleton {
	k := &skeleton{paths: paths, writers: make([][]int, len(s.program.cells))}
	for c := range s.program.cells {
		k.events = append(k.events, occurrence{event: &event{kind: eventInit}, thread: -1, cell: c, addr: -1})
		k.writers[c] = append(k.writers[c], c)
	}
	nodes := 0
	for t, p := range paths {
		k.first = append(k.first, len(k.events))
		k.nodes = append(k.nodes, nodes)
		nodes += len(p.nodes)
		for i := range p.events {
			o := occurrence{event: &p.events[i], thread: t, local: i, cell: -1, addr: -1}
			if o.kind == eventRead || o.kind == eventWrite {
				n := s.program.names[o.in.name]
				o.cell, o.addr = n.cell, n.address
			}
			if o.kind == eventWrite {
				k.writers[o.cell] = append(k.writers[o.cell], len(k.events))
			}
			k.events = append(k.events, o)
		}
	}
	k.reads = k.readOrder(s.program)
	s.values = make([]int64, nodes)
	s.known = make([]uint8, nodes)
	return k
}

// readOrder puts the reads first that decide branches, then those of the condition: both leave few writes to read from.
func (k *skeleton) readOrder(p *Program) []int {
	var order [4][]int
	for t, path := range k.paths {
		var branches, shown taint
		for _, x := range path.tests {
			branches = branches.with(path.nodes[x.a].deps).with(path.nodes[x.b].deps)
		}
		for _, x := range p.shown {
			if x.thread == t {
				shown = shown.with(path.nodes[path.regs[x.reg]].deps)
			}
		}
		for i := range path.events {
			if path.events[i].kind != eventRead {
				continue
			}
			rank := 3
			switch {
			case branches.has(i):
				rank = 0
			case path.events[i].rmw:
				rank = 1
			case shown.has(i):
				rank = 2
			}
			order[rank] = append(order[rank], k.first[t]+i)
		}
	}
	return append(append(append(order[0], order[1]...), order[2]...), order[3]...)
}

var proxySets = [...]string{Generic: "GENERIC", Surface: "SURFACE", Texture: "TEXTURE", Constant: "CONSTANT", Alias: "ALIAS"}

// fill writes the relations that the events alone decide.
func (s *search) fill(m *machine, k *skeleton) {
	for _, r := range m.bases {
		clear(r)
	}
	for _, r := range m.picks {
		clear(r)
	}
	for i := range k.events {
		a := &k.events[i]
		s.sets(m, i, a)
		m.add(m.bases["id"], i, i)
		for j := range k.events {
			b := &k.events[j]
			if a.cell >= 0 && a.cell == b.cell {
				m.add(m.bases["loc"], i, j)
				if a.addr >= 0 && a.addr == b.addr {
					m.add(m.bases["vloc"], i, j)
				}
			}
			if a.thread < 0 || b.thread < 0 {
				continue
			}
			if a.thread == b.thread && i < j {
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
		if a.kind == eventWrite && a.rmw {
			m.add(m.bases["rmw"], k.first[a.thread]+a.source, i)
		}
	}
}

func (s *search) sets(m *machine, i int, e *occurrence) {
	put := func(name string) { m.bases[name][i>>6] |= 1 << (i & 63) }
	if e.kind == eventInit {
		put("W")
		put("INIT")
		return
	}
	if e.kind == eventNothing {
		return
	}
	sem := e.in.sem
	switch e.kind {
	case eventRead:
		put("R")
		if sem.acquires() {
			put("ACQ")
		}
	case eventWrite:
		put("W")
		if sem.releases() {
			put("REL")
		}
	case eventBarrier:
		put("B")
	case eventFence:
		put("F")
		if e.in.op == opFence {
			if sem.acquires() {
				put("ACQ")
			}
			if sem.releases() {
				put("REL")
			}
			if sem == seqCst {
				put("SC")
			}
		}
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
	switch scope {
	case CTA:
		return p.sameCTA(a, b)
	case GPU:
		return p.threads[a].gpu == p.threads[b].gpu
	}
	return scope == Sys
}

const (
	valueUnset uint8 = iota
	valueWaits
	valueKnown
	valueOpen
)

// value evaluates a node of a path as far as it is decided who reads from whom.
func (s *search) value(t, n int) (int64, bool) {
	g := s.shape.nodes[t] + n
	switch s.known[g] {
	case valueKnown:
		return s.values[g], true
	case valueOpen:
		return 0, false
	case valueWaits:
		s.circular = true // a value out of thin air
		return 0, false
	}
	s.known[g] = valueWaits
	v, ok := s.compute(t, &s.shape.paths[t].nodes[n])
	s.values[g], s.known[g] = v, valueOpen
	if ok {
		s.known[g] = valueKnown
	}
	return v, ok
}

func (s *search) compute(t int, n *node) (int64, bool) {
	switch n.op {
	case nodeNumber:
		return n.imm, true
	case nodeRead:
		return s.written(s.from[s.shape.first[t]+n.a])
	case nodeArith:
		a, okA := s.value(t, n.a)
		b, okB := s.value(t, n.b)
		if !okA || !okB {
			return 0, false
		}
		v, ok := arithmetic(n.fn, a, b)
		if !ok {
			s.doubt = "a division by zero has no defined result"
		}
		return v, ok
	}
	old, okA := s.value(t, n.a)
	compared, okB := s.value(t, n.b)
	if !okA || !okB {
		return 0, false
	}
	if old != compared {
		return old, true
	}
	return s.value(t, n.c)
}

// written is the value of a write.
func (s *search) written(w int) (int64, bool) {
	if w < 0 {
		return 0, false
	}
	e := &s.shape.events[w]
	if e.thread < 0 {
		return s.program.cells[e.cell], true
	}
	return s.value(e.thread, e.value)
}
