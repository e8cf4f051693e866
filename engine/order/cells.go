package order

import (
	"math/bits"
)

const (
	pageBits = 12
	pageSize = 1 << pageBits
)

// cells is memory, cut where some access begins or ends: all accesses touch all of a cell or nothing. Each cell has the
// accesses that a later one could race with and that no other one speaks for.
type cells struct {
	r     *run
	pages [][]*page // by CTA and offset
	list  []cell
	raced int
	async []asyncDone
	watch *watch // of a second run
}

// page is which bytes of a piece of memory begin a cell, and how many cells begin before each word of that.
type page struct {
	marks [pageSize / 64]uint64
	base  [pageSize / 64]int32
}

type cell struct {
	entries       []entry
	reads, writes int64 // of all threads
	raced         bool
}

// entry is an access of lanes of a strand.
type entry struct {
	strand, pos int32
	lanes       uint32
	async       int32 // 1 + index of when it is done; 0: it is done when the next command of its lane runs
	kind        Kind
}

// asyncDone says when an asynchronous access is done.
type asyncDone struct {
	refs []phaseRef // when one of these is over
	unit int32      // else when this says so for its strand: unit, or unit of reads
}

func newCells(r *run) *cells {
	m := &cells{r: r, pages: make([][]*page, r.p.CTAs)}
	for _, w := range r.p.Warps {
		for i := range w.Commands {
			switch c := &w.Commands[i]; {
			case c.Kind.Access():
				m.cut(Address{c.A, c.B, c.C}, c.Mask)
			case c.Kind == AsyncCopy:
				for _, a := range w.copies[c.C].Accesses {
					m.cut(a.Address, c.Mask)
				}
			}
		}
	}
	m.number()
	return m
}

// cut marks where the accesses of the lanes of a mask begin and end.
func (m *cells) cut(a Address, mask uint32) {
	if a.Stride == 0 {
		mask &= -mask
	}
	for ; mask != 0; mask &= mask - 1 {
		lo := a.lane(bits.TrailingZeros32(mask))
		m.mark(lo)
		m.mark(lo + a.Size)
		for at := lo&^(pageSize-1) + pageSize; at < lo+a.Size; at += pageSize {
			m.mark(at)
		}
	}
}

// lane is where a lane's access begins.
func (a Address) lane(l int) uint32 { return uint32(int32(a.Base) + int32(l)*a.Stride) }

func (m *cells) mark(at uint32) {
	cta, n := at>>offsetBits, int(at&(1<<offsetBits-1)>>pageBits)
	if int(cta) >= len(m.pages) {
		return // the end of the last byte; Validate keeps accesses inside
	}
	for len(m.pages[cta]) <= n {
		m.pages[cta] = append(m.pages[cta], nil)
	}
	p := m.pages[cta][n]
	if p == nil {
		p = &page{}
		p.marks[0] = 1
		m.pages[cta][n] = p
		m.r.memory += pageSize/8 + pageSize/16
	}
	p.marks[at%pageSize/64] |= 1 << (at % 64)
}

// number counts the cells.
func (m *cells) number() {
	n := int32(0)
	for _, cta := range m.pages {
		for _, p := range cta {
			if p == nil {
				continue
			}
			for i, w := range p.marks {
				p.base[i] = n
				n += int32(bits.OnesCount64(w))
			}
		}
	}
	m.list = make([]cell, n)
	arena := make([]entry, 2*n)
	for i := range m.list {
		m.list[i].entries = arena[2*i : 2*i : 2*i+2]
	}
	m.r.memory += int64(n) * 88
}

// rank is the cell that a byte is in.
func (m *cells) rank(at uint32) int32 {
	p := m.pages[at>>offsetBits][at&(1<<offsetBits-1)>>pageBits]
	i := at % pageSize / 64
	return p.base[i] + int32(bits.OnesCount64(p.marks[i]<<(63-at%64))) - 1
}

// access is a plain access by the lanes of a strand.
func (m *cells) access(s *strand, c *Command, pos int32) {
	e := entry{strand: int32(s.id), pos: pos, kind: c.Kind}
	m.touch(s, &e, Address{c.A, c.B, c.C}, c.Mask&s.lanes, c)
}

// copy is the accesses of an asynchronous operation that each lane of a strand issues.
func (m *cells) copy(s *strand, c *Command, pos int32, op *Copy, refs []phaseRef) {
	for _, a := range op.Accesses {
		e := entry{strand: int32(s.id), pos: pos, kind: Read}
		done := asyncDone{refs: refs, unit: int32(op.Unit) + int32(units)}
		if a.Write {
			e.kind = Write
			done.unit = int32(op.Unit)
		}
		m.async = append(m.async, done)
		m.r.memory += 32
		e.async = int32(len(m.async))
		m.touch(s, &e, a.Address, c.Mask&s.lanes, c)
	}
}

// touch visits the cells that the lanes of a mask access.
func (m *cells) touch(s *strand, e *entry, a Address, mask uint32, from *Command) {
	if a.Stride == 0 {
		e.lanes = mask
		m.visit(s, e, a.Base, a.Size, from)
		return
	}
	for ; mask != 0; mask &= mask - 1 {
		e.lanes = mask & -mask
		m.visit(s, e, a.lane(bits.TrailingZeros32(mask)), a.Size, from)
	}
}

func (m *cells) visit(s *strand, e *entry, lo, size uint32, from *Command) {
	if size == 0 {
		return
	}
	i, last := m.rank(lo), m.rank(lo+size-1)
	if m.watch != nil {
		for ; i <= last; i++ {
			if m.watch.on[i] {
				m.watch.meet(m, s, i, &sample{entry: *e, place: from.Place, at: lo, size: size, value: m.value(s, e, from)})
			}
		}
		return
	}
	for ; i <= last; i++ {
		m.meet(s, &m.list[i], e)
	}
}

// value is a number for the value that the lanes of an access write, the same number exactly for the same value; 0 where it is not
// known.
func (m *cells) value(s *strand, e *entry, from *Command) uint64 {
	if from.Kind != Write || from.D == 0 {
		return 0
	}
	v := m.r.p.Warps[s.warp].values[from.D-1]
	if v.Stride != 0 && e.lanes&(e.lanes-1) != 0 {
		return 0
	}
	v.Base, v.Stride = v.Base+int64(bits.TrailingZeros32(e.lanes))*v.Stride, 0
	n, ok := m.watch.values[v]
	if !ok {
		n = uint64(len(m.watch.values) + 1)
		m.watch.values[v] = n
	}
	return n
}

// meet lets an access meet those that a cell knows. It comes to the cell in an order that happens-before allows, so that of the
// former ones only those matter that no other speaks for: whoever races with an access that is gone races with the one it
// went for.
func (m *cells) meet(s *strand, c *cell, d *entry) {
	n := int64(bits.OnesCount32(d.lanes))
	if d.kind == Read {
		c.reads += n
	} else {
		c.writes += n
	}
	if c.raced {
		return
	}
	if d.kind == Write && d.lanes&(d.lanes-1) != 0 {
		m.race(c)
		return
	}
	kept := c.entries[:0]
	for i := range c.entries {
		e := &c.entries[i]
		before := m.ordered(s, e, d)
		if !before && conflict(e, d) {
			m.race(c)
			return
		}
		if !m.speaks(s, e, d, before) {
			kept = append(kept, *e)
		}
	}
	if len(kept) == cap(kept) {
		m.r.memory += int64(len(kept)+2) * 20
	}
	c.entries = append(kept, *d)
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
		return sameLane || s.now.of(int(e.strand)) >= e.pos || own && m.r.o.WarpSynchronous && m.lockstep(s, e.pos, d.pos)
	}
	done := &m.async[e.async-1]
	for _, f := range done.refs {
		if s.now.of(f.dim) > f.phase {
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
	return dim > 0 && s.now.of(int(dim)) >= e.pos
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

// used is how many cells are accessed at all.
func (m *cells) used() (n int) {
	if m == nil {
		return 0
	}
	for i := range m.list {
		if m.list[i].reads+m.list[i].writes > 0 {
			n++
		}
	}
	return n
}

// tests is how many pairs of accesses of one cell there are of which one writes.
func (m *cells) tests() (n int64) {
	if m == nil {
		return 0
	}
	for i := range m.list {
		c := &m.list[i]
		n += c.writes*(c.writes-1)/2 + c.writes*c.reads
	}
	return n
}
