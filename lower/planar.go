package lower

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/lower/value"
)

// What an index is in terms of the CTA's place in the grid.

// places are the CTA's places in the grid that differ between CTAs, and those of its clusters where it has some.
func (in *instance) places() (names []string, extents []int64) {
	for i, axis := range []string{"x", "y", "z"} {
		g, c := in.grid[i], in.clus[i]
		switch {
		case in.cluster && c > 1 && (g == 0 || g > c):
			names, extents = append(names, "cluster_idx."+axis), append(extents, g/c)
		case !(in.cluster && c > 1) && g != 1:
			names, extents = append(names, "block_idx."+axis), append(extents, g)
		}
	}
	return names, extents
}

// planar takes a number apart into the CTA's places and the rest, with the values that the unknowns of the rest have.
func (m *machine) planar(v value.Value) (memory.Planar, bool) {
	by, rest, ok := m.places(v)
	if !ok {
		return memory.Planar{}, false
	}
	return m.in.wrap(by, rest), true
}

// relative is the place of a pointer in its block. In global memory it is counted from what is the same for all threads of the CTA;
// places that are counted from different sums are not compared.
func (m *machine) relative(p value.Pointer) value.Value {
	at := m.settle(p.Offset)
	if p.Block.Shared {
		return at
	}
	from := ""
	switch at.(type) {
	case value.Int, value.Lanes:
	default:
		by, rest, ok := m.places(p.Offset)
		if !ok {
			return at
		}
		from, at = memory.SpelledSum(by), value.Binary("+", rest.Shrink(), value.Int(memory.Before))
	}
	if b := p.Block; !b.Counted {
		b.Counted, b.From = true, from
	} else if b.From != from {
		m.in.untracked(b.Name, "used at places that differ by what only the running kernel knows")
	}
	return at
}

// wrap leaves out whole rounds through the grid: place + i·extent is another number for each place and i.
func (in *instance) wrap(by map[string]int64, rest value.Lanes) memory.Planar {
	names, extents := in.places()
	for i, place := range names {
		kind, axis, _ := strings.Cut(place, "_idx.")
		if n := by["grid_dim."+axis]; n != 0 && kind == "cluster" {
			by["cluster_dim."+axis] += n * in.clus[axisIndex(axis)]
			delete(by, "grid_dim."+axis)
		}
		extent := map[string]string{"block": "grid_dim.", "cluster": "cluster_dim."}[kind] + axis
		k := by[place]
		if k == 0 {
			continue
		}
		if by[extent]%k == 0 {
			delete(by, extent)
		}
		if round := k * extents[i]; round > 0 && len(by) == 1 {
			for j := range rest {
				rest[j] = ((rest[j] % round) + round) % round
			}
		}
	}
	return memory.Span(by, rest)
}

func (m *machine) places(v value.Value) (by map[string]int64, rest value.Lanes, ok bool) {
	switch v := value.Whole(v).(type) {
	case value.Int:
		return map[string]int64{}, value.Lanes{int64(v)}, true
	case value.Lanes:
		return map[string]int64{}, slices.Clone(v), len(v) > 0
	case value.Symbol:
		return m.placesIn(v.Expr, 0)
	case value.Mixed:
		if v.Y == nil {
			by, rest, ok := m.places(v.X)
			return m.convert(v.Op, by, rest, ok)
		}
		a, x, ok1 := m.places(v.X)
		b, y, ok2 := m.places(v.Y)
		if !ok1 || !ok2 {
			return nil, nil, false
		}
		return memory.Combine(v.Op, a, x, b, y)
	}
	return nil, nil, false
}

func (m *machine) placesIn(e *value.Expr, depth int) (by map[string]int64, rest value.Lanes, ok bool) {
	switch {
	case depth > 32:
	case e.IsConst:
		return map[string]int64{}, value.Lanes{e.Num}, true
	case e.Op == "" && memory.IsPlace(e.Atom):
		return map[string]int64{e.Atom: 1}, value.Lanes{0}, true
	case e.Y == nil && e.X != nil && e.C == nil:
		by, rest, ok := m.placesIn(e.X, depth+1)
		return m.convert(e.Op, by, rest, ok)
	case e.Y != nil && e.C == nil:
		a, x, ok1 := m.placesIn(e.X, depth+1)
		b, y, ok2 := m.placesIn(e.Y, depth+1)
		if ok1 && ok2 {
			return memory.Combine(e.Op, a, x, b, y)
		}
	case e.Op == "":
		if n, known := m.peek(e); known {
			return map[string]int64{}, value.Lanes{n}, true
		}
	}
	return nil, nil, false
}

// convert brings a sum to another type. That an index of 32 bits or more does not come round is taken for granted: memory
// that is so large is not indexed by it.
func (m *machine) convert(op string, by map[string]int64, rest value.Lanes, ok bool) (map[string]int64, value.Lanes, bool) {
	t, conversion := value.Conversions[op]
	if !ok || !conversion || len(by) > 0 && t.Bits < 32 {
		return nil, nil, false
	}
	if len(by) > 0 {
		m.in.assumed["indices of global memory that grow with the CTA's place do not come round"] = inWords
		return by, rest, true
	}
	switch v := value.Unary(op, rest.Shrink()).(type) {
	case value.Int:
		return by, value.Lanes{int64(v)}, true
	case value.Lanes:
		return by, v, true
	}
	return nil, nil, false
}
