// Package memory is what evaluated kernels keep in memory: which elements accesses touch, whose parts are apart, and what stored values are
// known to be. It imports the rooms of values and layouts alone.
package memory

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Claimed is what the CTAs of one launch do with global memory: of all instances that differ only in the place of the CTA.
type Claimed struct {
	Places  []string
	Extents []int64
	Reached Territory
	Shared  map[string]bool // memory of which threads of one CTA may have elements in common
}

// UnknownWrite finds a write to elements that nothing is known of: threads of one CTA may meet there, too.
func UnknownWrite(root string, uses []ReachOf) (at protocol.Site, why string) {
	for _, r := range uses {
		if r.Write && !r.Atomic && r.Lost {
			return r.Site, fmt.Sprintf("%s is written at an index that only the running kernel knows, and that no two threads have the same is not shown", root)
		}
	}
	return at, ""
}

// Crossed is where memory may be another CTA's, too, and why; "" where it is not.
func (c *Claimed) Crossed(root string) (at protocol.Site, why string) {
	uses := c.Reached[root]
	writes := slices.ContainsFunc(uses, func(r ReachOf) bool { return r.Write })
	switch {
	case c.aliases(root, writes):
		return uses[0].Site, fmt.Sprintf("%s may be memory that the kernel writes, too, and which elements of it are another CTA's is not known", root)
	case !writes, !slices.ContainsFunc(uses, func(r ReachOf) bool { return !r.Atomic }):
		return at, ""
	}
	for _, r := range uses {
		if r.Why != "" {
			return r.Site, r.Why
		}
	}
	for i, place := range c.Places {
		if c.apart(i, uses) {
			continue
		}
		const not = "and that these elements are not those of CTAs with another"
		for _, r := range uses {
			if !c.apart(i, []ReachOf{r}) {
				return r.Site, fmt.Sprintf("%s is written, %s %s is not shown", root, not, place)
			}
		}
		at = uses[len(uses)-1].Site
		for k, r := range uses {
			if c.apart(i, slices.Delete(slices.Clone(uses), k, k+1)) {
				at = r.Site
				break
			}
		}
		return at, fmt.Sprintf("%s is written, %s %s is not shown, given what other lines access", root, not, place)
	}
	return at, ""
}

// apart reports whether some coordinate that all uses have is another one for CTAs at another place along an axis.
func (c *Claimed) apart(axis int, uses []ReachOf) bool {
	return slices.ContainsFunc(slices.Sorted(maps.Keys(uses[0].At)), func(how string) bool { return c.separates(how, axis, uses) })
}

// aliases reports whether memory that is no parameter by itself may be other memory that is named, and one of them is written.
func (c *Claimed) aliases(root string, written bool) bool {
	words := value.Identifiers(root)
	if len(words) == 0 || strings.Join(words, ".") == root {
		return false
	}
	for other, uses := range c.Reached {
		if other != root && (written || slices.ContainsFunc(uses, func(r ReachOf) bool { return r.Write })) && slices.ContainsFunc(value.Identifiers(other), func(word string) bool { return slices.Contains(words, word) }) {
			return true
		}
	}
	return false
}

// separates reports whether a coordinate is another one for CTAs at another place along an axis, whatever their other
// places: the sums of the uses have the same factors, and each factor is more than what all before it add up to.
func (c *Claimed) separates(how string, axis int, uses []ReachOf) bool {
	p := uses[0].At[how]
	for _, r := range uses[1:] {
		q, has := r.At[how]
		if !has || !maps.Equal(p.by, q.by) {
			return false
		}
		p.lo, p.Hi = min(p.lo, q.lo), max(p.Hi, q.Hi)
	}
	if p.by[c.Places[axis]] == 0 {
		return false
	}
	places := slices.SortedFunc(maps.Keys(p.by), func(a, b string) int { return int(min(1, max(-1, abs(p.by[a])-abs(p.by[b])))) })
	width := p.Hi - p.lo
	for _, place := range places {
		i := slices.Index(c.Places, place)
		if i < 0 || abs(p.by[place]) < width {
			return false
		}
		if len(places) > 1 && c.Extents[i] == 0 && place != places[len(places)-1] {
			return false
		}
		width += abs(p.by[place]) * max(0, c.Extents[i]-1)
	}
	return true
}

func abs(n int64) int64 { return max(n, -n) }

// ReachOf is what a kernel does with a piece of global memory in one way: at coordinates, by how the memory was cut into
// modes before each.
type ReachOf struct {
	At     map[string]Planar // by the cut; what is missing is not known
	Write  bool
	Atomic bool // one that every thread of the grid can take part in
	Site   protocol.Site
	Lost   bool   // an element by an index of which nothing is known
	Why    string // what is not known of it, "" where only at tells
	Aside  bool   // the engines compare it with no other access
}

// Planar is Σ by[place]·place + [lo, hi).
type Planar struct {
	by     map[string]int64
	lo, Hi int64
}

// Territory is what is known of the global memory of a kernel, by its parameter.
type Territory map[string][]ReachOf

// Add notes one way in which memory is accessed; what differs only in the extent joins.
func (t Territory) Add(root string, r ReachOf) {
	same := func(o ReachOf) bool {
		return o.Site == r.Site && o.Write == r.Write && o.Atomic == r.Atomic && o.Lost == r.Lost && o.Aside == r.Aside && o.Why == r.Why && maps.EqualFunc(o.At, r.At, func(a, b Planar) bool { return maps.Equal(a.by, b.by) })
	}
	i := slices.IndexFunc(t[root], same)
	if i < 0 {
		t[root] = append(t[root], r)
		return
	}
	for cut, p := range r.At {
		q := t[root][i].At[cut]
		q.lo, q.Hi = min(q.lo, p.lo), max(q.Hi, p.Hi)
		t[root][i].At[cut] = q
	}
}

// Ownership is which thread of a CTA has which element of a piece of global memory to itself.
type Ownership struct {
	Of     map[OwnedElement]int64
	Shared bool // two threads have one, or that none do is not known
}

// OwnedElement is an element at Σ by[place]·place + at of what a CTA accesses.
type OwnedElement struct {
	Cta int64
	By  string
	At  int64
}

// MaxOwned bounds the elements whose threads are written down.
const MaxOwned = 1 << 16

// Rows tells the coordinates of a tensor's element apart.
func Rows(at map[string]Planar, cut string, by map[string]int64, rest value.Lanes) {
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
	at[cut+" row"], at[cut+" column"] = Span(row, rowRest), Span(column, columnRest)
}

// IsPlace reports whether an unknown is a CTA's or cluster's place in the grid, or the extent of the grid.
func IsPlace(atom string) bool {
	kind, axis, _ := strings.Cut(atom, ".")
	return len(axis) == 1 && slices.Contains([]string{"block_idx", "cluster_idx", "grid_dim", "cluster_dim"}, kind)
}

// Before is the number of the element that a sum of the CTA's places is the place of: some lie before it.
const Before = 1 << 20

// SpelledSum spells what places add up to.
func SpelledSum(by map[string]int64) string {
	var terms []string
	for _, place := range slices.Sorted(maps.Keys(by)) {
		term := place
		if k := by[place]; k != 1 {
			term = strconv.FormatInt(k, 10) + "*" + place
		}
		terms = append(terms, term)
	}
	return strings.Join(terms, " + ")
}

// Span is a sum of the CTA's places and of what lies between the least and the most of some numbers.
func Span(by map[string]int64, rest value.Lanes) Planar {
	return Planar{by, slices.Min(rest), slices.Max(rest) + 1}
}

// Combine is an operation on two sums; what is of the CTA's places stays a sum only for some.
func Combine(op string, a map[string]int64, x value.Lanes, b map[string]int64, y value.Lanes) (map[string]int64, value.Lanes, bool) {
	if len(a) == 0 && len(b) == 0 {
		switch v := value.Binary(op, x.Shrink(), y.Shrink()).(type) {
		case value.Int:
			return a, value.Lanes{int64(v)}, true
		case value.Lanes:
			return a, v, true
		}
		return nil, nil, false
	}
	by := maps.Clone(a)
	switch {
	case op == "+" || op == "-":
		sign := int64(1)
		if op == "-" {
			sign = -1
		}
		for place, k := range b {
			if by[place] += sign * k; by[place] == 0 {
				delete(by, place)
			}
		}
	case op == "*" && len(a) == 0:
		return Combine(op, b, y, a, x)
	case op == "*" && len(b) == 0 && len(y) == 1:
		for place := range by {
			by[place] *= y[0]
		}
		if y[0] == 0 {
			clear(by)
		}
	case op == "<<" && len(b) == 0 && len(y) == 1 && y[0] >= 0 && y[0] < 32:
		return Combine("*", a, x, b, value.Lanes{1 << y[0]})
	default:
		return nil, nil, false
	}
	switch v := value.Binary(op, x.Shrink(), y.Shrink()).(type) {
	case value.Int:
		return by, value.Lanes{int64(v)}, true
	case value.Lanes:
		return by, v, true
	}
	return nil, nil, false
}

// InBlock reports whether ranges lie in a block, as far as its extent is known.
func InBlock(b *value.Block, rs []protocol.Range) bool {
	n, ok := b.Extent()
	return !ok || !slices.ContainsFunc(rs, func(r protocol.Range) bool { return r.Hi > n })
}
