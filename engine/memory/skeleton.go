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
			if o.kind == eventRead || o.kind == eventWrite || o.signal != nil {
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
	case nodeToken:
		return int64(s.phase[s.shape.first[t]+n.a]), true
	case nodePassed:
		return s.passed(s.shape.first[t] + n.a)
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
