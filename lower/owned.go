package lower

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// The model has one CTA, or one cluster, and all others run the same kernel. What they do to its global memory is held
// where every access of memory that the kernel writes is to elements of the CTA's own: where some coordinate of it is a sum
// of k times the CTA's place along an axis of the grid and of what stays less than k, for each axis that has more than one
// place. Two CTAs differ in a place, so they differ in that coordinate. Different parameters are different memory.
//
// Where CTAs wait for each other by flags all of them are in the model, and the engines see what they do.

// reachOf is what a kernel does with a piece of global memory in one way: at coordinates, by how the memory was cut into
// modes before each.
type reachOf struct {
	at     map[string]planar // by the cut; what is missing is not known
	write  bool
	atomic bool // one that every thread of the grid can take part in
	site   protocol.Site
	lost   bool   // an element by an index of which nothing is known
	why    string // what is not known of it, "" where only at tells
	aside  bool   // the engines compare it with no other access
}

// planar is Σ by[place]·place + [lo, hi).
type planar struct {
	by     map[string]int64
	lo, hi int64
}

// territory is what is known of the global memory of a kernel, by its parameter.
type territory map[string][]reachOf

// add notes one way in which memory is accessed; what differs only in the extent joins.
func (t territory) add(root string, r reachOf) {
	same := func(o reachOf) bool {
		return o.site == r.site && o.write == r.write && o.atomic == r.atomic && o.lost == r.lost && o.aside == r.aside && o.why == r.why && maps.EqualFunc(o.at, r.at, func(a, b planar) bool { return maps.Equal(a.by, b.by) })
	}
	i := slices.IndexFunc(t[root], same)
	if i < 0 {
		t[root] = append(t[root], r)
		return
	}
	for cut, p := range r.at {
		q := t[root][i].at[cut]
		q.lo, q.hi = min(q.lo, p.lo), max(q.hi, p.hi)
		t[root][i].at[cut] = q
	}
}

// reachesAt notes an access to global memory by a pointer.
func (m *machine) reachesAt(p value.Pointer, write, atomic bool, width int64, n program.Node) {
	if m.host || m.watch != nil || p.Block == nil || p.Block.Shared {
		return
	}
	m.reaches(p, reachOf{write: write, atomic: atomic}, width, n)
}

// reaches is reachesAt by what is known of the access so far.
func (m *machine) reaches(p value.Pointer, r reachOf, width int64, n program.Node) {
	r.at, r.site = map[string]planar{}, m.bare(n)
	cut := "offset " + value.Canonical(value.FirstOf(p.Elem, value.None{}))
	by, rest, ok := m.places(p.Offset)
	m.takes(p.Block.Name, by, rest, width, ok && !r.aside)
	if ok {
		rows(r.at, cut, maps.Clone(by), slices.Clone(rest))
		at := m.in.wrap(by, rest)
		at.hi += width - 1
		r.at[cut] = at
		m.coordinates(r.at, p.Cuts)
	} else {
		r.lost = true
	}
	m.in.territory.add(p.Block.Name, r)
}

// ownership is which thread of a CTA has which element of a piece of global memory to itself.
type ownership struct {
	of     map[ownedElement]int64
	shared bool // two threads have one, or that none do is not known
}

// ownedElement is an element at Σ by[place]·place + at of what a CTA accesses.
type ownedElement struct {
	cta int64
	by  string
	at  int64
}

// maxOwned bounds the elements whose threads are written down.
const maxOwned = 1 << 16

// takes notes which elements the threads at hand access: width elements from rest[i] on.
func (m *machine) takes(root string, by map[string]int64, rest value.Lanes, width int64, known bool) {
	o := m.in.owned[root]
	if o == nil {
		o = &ownership{of: map[ownedElement]int64{}}
		m.in.owned[root] = o
	}
	if o.shared = o.shared || !known || width > maxOwned; o.shared {
		return
	}
	places := fmt.Sprint(by)
	for i, thread := range m.threads {
		from := rest[min(i, len(rest)-1)]
		for at := from; at < from+width; at++ {
			e := ownedElement{m.cta, places, at}
			if owner, taken := o.of[e]; taken && owner != thread || len(o.of) > maxOwned {
				o.shared = true
				return
			}
			o.of[e] = thread
		}
	}
	for e := range o.of {
		o.shared = o.shared || e.by != places // of unlike sums nothing is known
		break
	}
}

// rows tells the coordinates of a tensor's element apart.
func rows(at map[string]planar, cut string, by map[string]int64, rest value.Lanes) {
	row, column := map[string]int64{}, map[string]int64{}
	rowRest, columnRest := make(value.Lanes, len(rest)), make(value.Lanes, len(rest))
	for place, k := range by {
		if k/cute.RowPitch != 0 {
			row[place] = k / cute.RowPitch
		}
		if k%cute.RowPitch != 0 {
			column[place] = k % cute.RowPitch
		}
	}
	for i, r := range rest {
		rowRest[i], columnRest[i] = (r+cute.RowPitch/2)/cute.RowPitch, (r+cute.RowPitch/2)%cute.RowPitch-cute.RowPitch/2 // of columns just before a row's first, too
		if r < -cute.RowPitch/2 {
			return
		}
	}
	at[cut+" row"], at[cut+" column"] = span(row, rowRest), span(column, columnRest)
}

// reachesTensor notes an access to a tensor that may be in global memory.
func (m *machine) reachesTensor(t *cute.Tensor, write bool, n program.Node) {
	if m.host || m.watch != nil || t == nil || t.Block != nil || t.Local {
		return
	}
	r := reachOf{at: map[string]planar{}, write: write, aside: true, site: m.bare(n)}
	root := t.Root
	if root == "" {
		root = t.Name
	} else if !t.Adrift {
		m.coordinates(r.at, t.Cuts)
	}
	m.takes(root, nil, nil, 0, false)
	m.in.territory.add(root, r)
}

// coordinates adds those at which a view was cut, as far as they are known.
func (m *machine) coordinates(at map[string]planar, cuts *value.Cut) {
	for c := cuts; c != nil; c = c.Before {
		if p, ok := m.planar(c.At); ok {
			at[c.How] = p
		}
	}
}

// reachesAnything notes that memory is accessed in a way that is not known.
func (m *machine) reachesAnything(root string, write bool, why string, n program.Node) {
	if m.host || m.watch != nil {
		return
	}
	m.takes(root, nil, nil, 0, false)
	r := reachOf{write: write, why: why, aside: true}
	if n != nil {
		r.site = m.bare(n)
	}
	m.in.territory.add(root, r)
}

// reachesBy notes what a copy engine reads or writes outside of shared memory.
func (m *machine) reachesBy(o operands, name string, write bool) {
	v := o.value(name)
	if t, ok := v.(*cute.Tensor); ok {
		m.reachesTensor(t, write, o.node)
		return
	}
	if p, ok := o.pointer(name); ok && p.Block != nil {
		width := int64(1)
		if n, ok := m.settle(o.value("bytes")).(value.Int); ok {
			width = int64(n) // of the smallest element that there is
		}
		if !m.host && m.watch == nil && !p.Block.Shared {
			m.reaches(p, reachOf{write: write, aside: true}, width, o.node)
		}
		return
	}
	if root := value.Canonical(v); write || v != nil {
		m.reachesAnything(root, write, "what a copy writes, at coordinates of "+root+", is not followed", o.node)
	}
}
