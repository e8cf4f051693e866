package memory

// engines is what a path knows of the engines it has asked for something.
type engines struct {
	agents int
	groups map[family][][]int // events of copies, by group; the last group is not committed yet
	issued map[family][]int   // events that an arrival tracks: of tcgen05.mma, which has no groups, and of cp.async
	order  int                // events before the last wgmma.fence
}

func (e *engines) clone() engines {
	c := *e
	c.issued = map[family][]int{}
	for f, list := range e.issued {
		c.issued[f] = append([]int(nil), list...)
	}
	c.groups = map[family][][]int{}
	for f, list := range e.groups {
		for _, group := range list {
			c.groups[f] = append(c.groups[f], append([]int(nil), group...))
		}
	}
	return c
}

// signal makes the events of an operation on a barrier object; false if the path ends here.
func (w *walker) signal(s *state, in *instruction) bool {
	c := &contribution{object: in.signal.object, drop: in.signal.drop, token: -1, asks: in.op == opWait && in.dst >= 0}
	kind := eventArrive
	switch {
	case in.op == opInit:
		kind = eventSetup
	case in.label == "cluster":
		return w.cluster(s, in, c)
	case in.op == opWait && !in.signal.parity:
		n := s.nodes[s.operand(in.args[0])]
		if n.op != nodeToken {
			w.unclear = "a wait without .parity takes the token of an arrival of the same path"
			return false
		}
		c.token = n.a
		return w.wait(s, in, c)
	case in.op == opWait:
		n := s.nodes[s.operand(in.args[0])]
		if n.op != nodeNumber {
			w.unclear = "the parity of a wait depends on what is read"
			return false
		}
		c.parity = n.imm & 1
		return w.wait(s, in, c)
	}
	count, tx := s.nodes[s.operand(in.args[0])], s.operand(in.args[1])
	if tx >= 0 {
		c.tx = s.nodes[tx].imm
	}
	c.count = count.imm
	if count.op != nodeNumber || tx >= 0 && s.nodes[tx].op != nodeNumber || c.count < 0 || c.count > maxCount || c.tx > maxCount {
		w.unclear = "the count of an arrival depends on what is read, or is not from 0 to 1048575"
		return false
	}
	s.events = append(s.events, event{kind: kind, in: in, deps: s.control, signal: c})
	if in.op == opSync {
		return w.wait(s, in, &contribution{object: c.object, token: len(s.events) - 1})
	}
	if kind == eventArrive && in.dst >= 0 {
		w.set(s, in.dst, s.node(node{op: nodeToken, a: len(s.events) - 1}))
	}
	return true
}

// cluster makes the event of an operation on the barrier of the cluster: a thread arrives, then waits (PTX ISA 9.7.13.3).
func (w *walker) cluster(s *state, in *instruction, c *contribution) bool {
	for i := range s.events {
		if e := &s.events[i]; e.signal != nil && e.signal.object == c.object {
			c.token = i
			if e.kind == eventWait {
				c.token = -1
			}
		}
	}
	if (in.op == opWait) == (c.token < 0) {
		w.unclear = "a thread does not arrive on the barrier of its cluster and wait in turn, which PTX does not define"
		return false
	}
	if in.op == opWait {
		return w.wait(s, in, c)
	}
	c.token, c.count = -1, 1
	s.events = append(s.events, event{kind: eventArrive, in: in, deps: s.control, signal: c})
	return true
}

// wait makes the event of a wait. What stands behind one that blocks depends on it. It asks more than once, which only
// matters where it may do so before the mbarrier is initialized: for races.
func (w *walker) wait(s *state, in *instruction, c *contribution) bool {
	if w.mode == Race && !c.asks && w.program.objects[c.object].initialized() {
		first := *c
		first.asks = true
		s.events = append(s.events, event{kind: eventWait, in: in, deps: s.control, signal: &first})
	}
	var self taint
	self.add(len(s.events))
	s.events = append(s.events, event{kind: eventWait, in: in, deps: s.control, signal: c})
	if c.asks {
		w.set(s, in.dst, s.node(node{op: nodePassed, a: len(s.events) - 1, deps: self}))
		return true
	}
	if w.mode == Termination {
		w.finish(s, waits)
	}
	s.control = s.control.with(self)
	return true
}

// engine makes the events of what an engine does, or notes what is waited for.
func (w *walker) engine(s *state, in *instruction) {
	if s.groups == nil {
		s.groups, s.issued = map[family][][]int{}, map[family][]int{}
	}
	groups := s.groups[in.family]
	switch in.op {
	case opOrder:
		s.order = len(s.events)
	case opCommit:
		if len(groups) > 0 {
			s.groups[in.family] = append(groups, nil)
		}
	case opGroups:
		e := event{kind: eventGroups, in: in, deps: s.control}
		pending := 1 + int(min(in.args[0].imm, int64(len(groups))))
		if in.fn == "wait_all" {
			pending = 0 // whether they are committed or not
		}
		for i := 0; i < len(groups)-pending; i++ {
			for _, x := range groups[i] {
				if in.fn != "read" || s.events[x].kind == eventRead {
					e.after = append(e.after, x)
				}
			}
		}
		s.events = append(s.events, e)
	case opEngine:
		w.parts(s, in)
	}
}

// parts makes the events of one engine: they stand behind each other, and behind what the thread did before, except that
// wgmma.mma_async stands only behind what is before a wgmma.fence (PTX ISA 8.9.1.1, 9.7.15.7.1).
func (w *walker) parts(s *state, in *instruction) {
	s.agents++
	first := len(s.events)
	asked := first
	if in.family == wgmmaGroup {
		asked = s.order
	}
	value := -1
	var reads taint
	for i := range in.parts {
		part := &in.parts[i]
		switch part.op {
		case opLoad:
			reads.add(len(s.events))
			value = s.read(part, false)
		case opStore:
			s.write(part, value, false)
		case opRMW:
			reads.add(len(s.events))
			old := s.read(part, true)
			s.write(part, s.arith(part.fn, old, value), true)
		case opArrive:
			s.events = append(s.events, event{kind: eventArrive, in: part, deps: s.control,
				signal: &contribution{object: part.signal.object, count: part.args[0].imm, tx: part.args[1].imm, token: -1}})
		}
	}
	for i := first; i < len(s.events); i++ {
		e := &s.events[i]
		e.agent, e.asked = s.agents, asked
		if e.kind != eventRead {
			e.deps = e.deps.with(reads)
		}
		if e.kind == eventRead && e.rmw {
			e.deps = e.deps.with(reads)
			e.deps.drop(i)
		}
		arrives := in.parts[0].op == opArrive
		switch {
		case arrives && e.signal.count < 0:
			e.agent = 0 // at once, by the thread
			continue
		case arrives:
			e.after = append([]int(nil), s.issued[in.family]...)
			continue
		case in.family == plainGroup || len(in.parts) == 2:
			s.issued[in.family] = append(s.issued[in.family], i)
		}
		if in.family != noFamily {
			if len(s.groups[in.family]) == 0 {
				s.groups[in.family] = append(s.groups[in.family], nil)
			}
			last := &s.groups[in.family][len(s.groups[in.family])-1]
			*last = append(*last, i)
		}
	}
}

// arithmetic computes fn; not ok is a division without a result.
func arithmetic(fn string, a, b int64) (int64, bool) {
	switch fn {
	case "add":
		return a + b, true
	case "sub":
		return a - b, true
	case "mul":
		return a * b, true
	case "div":
		if b == 0 || b == -1 {
			return -a, b != 0
		}
		return a / b, true
	case "and":
		return a & b, true
	case "or":
		return a | b, true
	}
	return a ^ b, true
}
