package order

import "math/bits"

const (
	pageBits = 12
	pageSize = 1 << pageBits
)

// cells is memory, cut where some access begins or ends: all accesses touch all of a cell or nothing. Each cell has the
// accesses that a later one could race with and that no other one speaks for.
type cells struct {
	r      *run
	pages  [][]*page // by CTA, behind them global memory, and offset
	list   []cell
	prints []footprint
	known  map[printKey]uint32
	raced  int
	async  []asyncDone
	watch  *watch // of a second run
}

// page is which bytes of a piece of memory begin a cell, and how many cells begin before each word of that.
type page struct {
	marks [pageSize / 64]uint64
	base  [pageSize / 64]int32
}

type cell struct {
	entries []entry
	class   int32 // the cell that stands for this one
	size    int32 // how many cells it stands for
	raced   bool
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
	pipe uint32     // of its operation
	feed bool
}

// newCells cuts memory by all accesses of a program.
func newCells(r *run) *cells {
	m := &cells{r: r, pages: make([][]*page, r.p.CTAs+1)}
	for _, s := range r.strands {
		w := r.p.Warps[s.warp]
		for i := range w.Commands {
			c := &w.Commands[i]
			mask := c.Mask & s.lanes
			switch {
			case mask == 0:
			case c.Kind.Access():
				m.print(s, Address{c.A, c.B, c.C}, mask)
			case c.Kind == AsyncCopy:
				for _, a := range w.copies[c.C].Accesses {
					m.print(s, a.Address, mask)
				}
			}
		}
	}
	for i := range m.prints {
		if m.cut(m.prints[i].Address, m.prints[i].lanes); m.spent(i) {
			return m
		}
	}
	m.number()
	m.classify()
	return m
}

// spent reports, every so many footprints, whether a limit is reached.
func (m *cells) spent(i int) bool {
	if i&127 == 127 {
		m.r.bound()
	}
	return m.r.short.Code != 0
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
		for at, end := uint64(lo&^(pageSize-1))+pageSize, uint64(lo)+uint64(a.Size); at < end; at += pageSize { // the last page ends where 32 bits do
			m.mark(uint32(at))
		}
	}
}

// lane is where a lane's access begins.
func (a Address) lane(l int) uint32 { return uint32(int32(a.Base) + int32(l)*a.Stride) }

func (m *cells) mark(at uint32) {
	cta, n := m.r.p.memory(at), int(at&(1<<offsetBits-1)>>pageBits)
	if cta >= len(m.pages) {
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
	m.r.memory += int64(n) * 80
}

// rank is the cell that a byte is in.
func (m *cells) rank(at uint32) int32 {
	p := m.pages[m.r.p.memory(at)][at&(1<<offsetBits-1)>>pageBits]
	i := at % pageSize / 64
	return p.base[i] + int32(bits.OnesCount64(p.marks[i]<<(63-at%64))) - 1
}
