package order

// access is a plain access by the lanes of a strand.
func (m *cells) access(s *strand, c *Command, pos int32) {
	e := entry{strand: int32(s.id), pos: pos, kind: c.Kind}
	m.touch(s, &e, Address{c.A, c.B, c.C}, c)
}

// copy is the accesses of an asynchronous operation that each lane of a strand issues.
func (m *cells) copy(s *strand, c *Command, pos int32, op *Copy, refs []phaseRef) {
	var done [2]int32 // of reads and of writes
	for _, a := range op.Accesses {
		e, k := entry{strand: int32(s.id), pos: pos, kind: Read}, 0
		if a.Write {
			e.kind, k = Write, 1
		}
		if done[k] == 0 {
			unit := int32(op.Unit)
			if !a.Write {
				unit += int32(units)
			}
			m.async = append(m.async, asyncDone{refs: refs, unit: unit, pipe: op.Pipe, feed: op.Feeds})
			m.r.memory += 40
			done[k] = int32(len(m.async))
		}
		e.async = done[k]
		m.touch(s, &e, a.Address, c)
	}
}

// touch visits the cells that lanes of a strand access.
func (m *cells) touch(s *strand, e *entry, a Address, c *Command) {
	if m.watch != nil {
		m.look(s, e, a, c)
		return
	}
	f := &m.prints[s.prints[s.nextPrint]]
	s.nextPrint++
	for _, t := range f.touches {
		e.lanes = t.lanes
		m.meet(s, &m.list[t.cell], e)
	}
}

// meet lets an access meet those that a cell knows. It comes to the cell in an order that happens-before allows, so that of the
// former ones only those matter that no other speaks for: whoever races with an access that is gone races with the one it
// went for.
func (m *cells) meet(s *strand, c *cell, d *entry) {
	if c.raced {
		return
	}
	if d.kind == Write && d.lanes&(d.lanes-1) != 0 {
		m.race(c)
		return
	}
	kept := 0
	for i := range c.entries {
		e := &c.entries[i]
		before := m.ordered(s, e, d)
		if !before && conflict(e, d) {
			m.race(c)
			return
		}
		if !m.speaks(s, e, d, before) {
			if kept < i { // mostly all are kept, and stay where they are
				c.entries[kept] = *e
			}
			kept++
		}
	}
	if kept == cap(c.entries) {
		m.r.memory += int64(kept+2) * 20
	}
	c.entries = append(c.entries[:kept], *d)
}

func (m *cells) race(c *cell) {
	c.raced = true
	c.entries = nil
	m.raced++
}

// conflict reports whether two accesses of one cell conflict.
func conflict(e, d *entry) bool {
	return (e.kind != Read || d.kind != Read) && (e.kind != Atomic || d.kind != Atomic)
}

// ordered reports whether an access comes before another one that a strand makes now, for all their lanes that differ and, if
// it is asynchronous, for the others as well.
func (m *cells) ordered(s *strand, e, d *entry) bool {
	own := e.strand == int32(s.id)
	sameLane := own && e.lanes == d.lanes && e.lanes&(e.lanes-1) == 0
	if e.async == 0 {
		return sameLane || s.now.of(m.r.behind+int(e.strand)) >= e.pos || own && m.r.o.WarpSynchronous && m.lockstep(s, e.pos, d.pos)
	}
	done := &m.async[e.async-1]
	if d.async > 0 && (sameLane || s.now.of(m.r.behind+int(e.strand)) >= e.pos) {
		if next := &m.async[d.async-1]; next.pipe > 0 && (done.pipe == next.pipe || done.feed) {
			return true
		}
	}
	for _, f := range done.refs {
		if s.now.of(m.r.behind+f.dim) > f.phase {
			return true
		}
	}
	if len(done.refs) > 0 {
		return false
	}
	if (sameLane || own && m.r.o.WarpSynchronous) && s.done[done.unit] >= e.pos {
		return true
	}
	dim := m.r.strands[e.strand].doneDim[done.unit]
	return dim > 0 && s.now.of(m.r.behind+int(dim)) >= e.pos
}

// lockstep reports whether two commands of a warp in lockstep are of different instructions.
func (m *cells) lockstep(s *strand, first, second int32) bool {
	commands := m.r.p.Warps[s.warp].Commands
	for second > first && commands[second-1].Flags&Same != 0 {
		second--
	}
	return first < second
}

// speaks reports whether a cell can forget an access e for the sake of d: who races with e later races with d.
func (m *cells) speaks(s *strand, e, d *entry, before bool) bool {
	switch {
	case d.kind == Read && e.kind != Read, d.kind == Atomic && e.kind != Atomic:
		return false
	case before:
		return true
	}
	return e.async == 0 && e.strand == int32(s.id) && e.lanes&^d.lanes == 0
}
