package lower

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// The model has one CTA, or one cluster, and all others run the same kernel. What they do to its global memory is held
// where every access of memory that the kernel writes is to elements of the CTA's own: where some coordinate of it is a sum
// of k times the CTA's place along an axis of the grid and of what stays less than k, for each axis that has more than one
// place. Two CTAs differ in a place, so they differ in that coordinate. Different parameters are different memory.
//
// Where CTAs wait for each other by flags all of them are in the model, and the engines see what they do.

// reachesAt notes an access to global memory by a pointer.
func (m *machine) reachesAt(p value.Pointer, write, atomic bool, width int64, n program.Node) {
	if m.host || m.watch != nil || p.Block == nil || p.Block.Shared {
		return
	}
	m.reaches(p, memory.ReachOf{Write: write, Atomic: atomic}, width, n)
}

// reaches is reachesAt by what is known of the access so far.
func (m *machine) reaches(p value.Pointer, r memory.ReachOf, width int64, n program.Node) {
	r.At, r.Site = map[string]memory.Planar{}, m.bare(n)
	cut := "offset " + value.Canonical(value.FirstOf(p.Elem, value.None{}))
	by, rest, ok := m.places(p.Offset)
	m.takes(p.Block.Name, by, rest, width, ok && !r.Aside)
	if ok {
		memory.Rows(r.At, cut, maps.Clone(by), slices.Clone(rest))
		at := m.in.wrap(by, rest)
		at.Hi += width - 1
		r.At[cut] = at
		m.coordinates(r.At, p.Cuts)
	} else {
		r.Lost = true
	}
	m.in.territory.Add(p.Block.Name, r)
}

// takes notes which elements the threads at hand access: width elements from rest[i] on.
func (m *machine) takes(root string, by map[string]int64, rest value.Lanes, width int64, known bool) {
	o := m.in.owned[root]
	if o == nil {
		o = &memory.Ownership{Of: map[memory.OwnedElement]int64{}}
		m.in.owned[root] = o
	}
	if o.Shared = o.Shared || !known || width > memory.MaxOwned; o.Shared {
		return
	}
	places := fmt.Sprint(by)
	for i, thread := range m.threads {
		from := rest[min(i, len(rest)-1)]
		for at := from; at < from+width; at++ {
			e := memory.OwnedElement{Cta: m.cta, By: places, At: at}
			if owner, taken := o.Of[e]; taken && owner != thread || len(o.Of) > memory.MaxOwned {
				o.Shared = true
				return
			}
			o.Of[e] = thread
		}
	}
	for e := range o.Of {
		o.Shared = o.Shared || e.By != places // of unlike sums nothing is known
		break
	}
}

// reachesTensor notes an access to a tensor that may be in global memory.
func (m *machine) reachesTensor(t *cute.Tensor, write bool, n program.Node) {
	if m.host || m.watch != nil || t == nil || t.Block != nil || t.Local {
		return
	}
	r := memory.ReachOf{At: map[string]memory.Planar{}, Write: write, Aside: true, Site: m.bare(n)}
	root := t.Root
	if root == "" {
		root = t.Name
	} else if !t.Adrift {
		m.coordinates(r.At, t.Cuts)
	}
	m.takes(root, nil, nil, 0, false)
	m.in.territory.Add(root, r)
}

// coordinates adds those at which a view was cut, as far as they are known.
func (m *machine) coordinates(at map[string]memory.Planar, cuts *value.Cut) {
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
	r := memory.ReachOf{Write: write, Why: why, Aside: true}
	if n != nil {
		r.Site = m.bare(n)
	}
	m.in.territory.Add(root, r)
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
			m.reaches(p, memory.ReachOf{Write: write, Aside: true}, width, o.node)
		}
		return
	}
	if root := value.Canonical(v); write || v != nil {
		m.reachesAnything(root, write, "what a copy writes, at coordinates of "+root+", is not followed", o.node)
	}
}
