package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/protocol"
)

// dealOf numbers the way in which a slice of a tiled copy deals a view out, 0 where it is not known.
func (m *machine) dealOf(by value.Value, t *cute.Tensor, shape []value.Value) int {
	o, ok := by.(*value.Object)
	if !ok || t.Lost || t.Folded || t.Part || t.Block == nil || len(shape) < 2 || !m.ownSlice(o.Fields["slice"]) {
		return 0
	}
	rows, columns := cute.IndicesAlong(o, 0, shape[0]), cute.IndicesAlong(o, 1, shape[1])
	owners := make([]byte, 0, len(rows)*len(columns))
	for _, x := range rows {
		for _, y := range columns {
			w := (x + y) / 32
			if w < 0 || w > 31 {
				return 0
			}
			owners = append(owners, byte(w))
		}
	}
	if len(owners) == 0 {
		return 0
	}
	steps := t.Name
	if t.Steps != nil {
		steps = value.Canonical(t.Steps)
	}
	return m.in.deal(cute.ThreadValueLayout{View: t.Block.Name + " " + value.Canonical(t.Shape) + " " + steps, Owners: string(owners)})
}

// deal numbers a way to deal a view out, and notes which others give some element to another warp.
func (in *instance) deal(d cute.ThreadValueLayout) int {
	if i := slices.Index(in.deals, d); i >= 0 {
		return i + 1
	}
	in.deals = append(in.deals, d)
	n := len(in.deals)
	for i, e := range in.deals[:n-1] {
		if e.View == d.View && e.Owners != d.Owners {
			in.across = append(in.across, protocol.Crossing{Less: i + 1, More: n})
		}
	}
	return n
}

// ownSlice reports whether a slice of a tiled copy is each thread's own.
func (m *machine) ownSlice(thread value.Value) bool {
	l, ok := m.settle(thread).(value.Lanes)
	return ok && slices.Equal([]int64(l), m.threads)
}

// shareOf numbers the way in which slices of a tiled copy divide a view, 0 where it is not known which, or not shown that
// threads have parts of their own: that no two of them have the same slice, and no two slices an element in common.
func (m *machine) shareOf(by value.Value, how string, t *cute.Tensor) int {
	o, ok := by.(*value.Object)
	if !ok || t.Lost || t.Folded || t.Part || t.Picked || t.Split || t.Block == nil {
		return 0
	}
	ahead, ok := m.ahead(o, how)
	of, known := cute.SpelledCopy(o)
	if !ok || !known || o.Fields["sliced"] == nil {
		return 0
	}
	if kind := cute.AtomKind(o); kind == "thread" || kind == "cp.async" { // a thread writes what it reads
		how = ""
	}
	view := fmt.Sprint(t.Block.Name, " ", t.Name, " ", value.Canonical(t.Shape), " ", value.CanonicalType(t.Dtype))
	if t.Steps != nil {
		view += value.Canonical(t.Steps) + value.Canonical(t.Origin)
	}
	return m.in.share(cute.Partitioning{By: of, How: how, View: view, Ahead: ahead})
}

// shareOfResidues numbers the part of a block that holds what a thread accesses at an index of which a sum that is the same for all threads is
// not known, or the round of a loop; 0 where threads may meet there.
func (m *machine) shareOfResidues(b *value.Block, unit string, at value.Value, width int64) int {
	by, ahead, ok := memory.Residues(at, m.threads, width)
	if !ok {
		return 0
	}
	return m.in.share(cute.Partitioning{By: by, How: fmt.Sprint("CTA ", m.cta), View: b.Name + " of " + unit, Ahead: ahead})
}

// share numbers a way to divide a view.
func (in *instance) share(d cute.Partitioning) int {
	if in.shares == nil {
		in.shares = map[cute.Partitioning]int{}
	}
	if in.shares[d] == 0 {
		in.shares[d] = len(in.shares) + 1
	}
	return in.shares[d]
}

// ahead is by how much the number of the slice that a thread has is ahead of the thread's index, where that is the same for
// all of them and there are as many slices.
func (m *machine) ahead(o *value.Object, how string) (int64, bool) {
	slices, ok := m.settle(value.FirstOf(o.Fields["slice"], value.Data{})).(value.Lanes)
	if n, is := m.settle(value.FirstOf(o.Fields["slice"], value.Data{})).(value.Int); is && len(m.threads) == 1 {
		slices, ok = value.Lanes{int64(n)}, true
	}
	size, known := m.settle(value.FirstOf(cute.PartsOfCopy(o, value.Text(strings.TrimPrefix(how, "partition_"))), value.Data{})).(value.Int)
	if !ok || !known {
		return 0, false
	}
	for i, s := range slices {
		if s < 0 || s >= int64(size) || s-m.threads[i] != slices[0]-m.threads[0] {
			return 0, false
		}
	}
	return slices[0] - m.threads[0], true
}

// partition is a thread's part of a tensor (partition_S, partition_D, partition_A, partition_B, partition_C): the values of
// one thread first, then how often the pattern repeats along both modes of the tile, then the modes beyond the tile.
func (m *machine) partition(v value.Value, by value.Value, how string) value.Value {
	s := cute.NewShaped(v, how, 2)
	if s.T == nil {
		return value.Data{}
	}
	t := s.T
	n := min(2, len(s.Shape))
	shape := []value.Value(nil)
	if tile, nested := value.First(s.Shape).(*value.Sequence); nested && cute.IsTensorCopy(by) && cute.Product(tile.Elems[0]) != value.Int(memory.LanesAll) {
		n = 1 // a mode that has all lanes and columns of a tile, and the tiles beyond
	} else if cute.AtomKind(by) != "" {
		c := by.(*value.Object)
		if tile, ok := c.Fields["tiler_mn"].(*value.Sequence); ok {
			n = min(max(1, len(tile.Elems)), len(s.Shape))
		}
		shape = cute.Share(c, s.Shape[:n])
	}
	if shape == nil {
		shape = m.unknownModes(how+"("+t.Name+")", n+1)
	}
	outer := -1
	for i := n; i < len(s.Shape); i++ {
		if i == t.Outer {
			outer = len(shape)
		}
		shape = append(shape, s.Shape[i])
	}
	out := t.With(how, &value.Sequence{Elems: shape}, outer)
	out.Split, out.Share, out.Wide = true, m.shareOf(by, how, t), cute.SharedOperand(by)
	out.Deal = m.dealOf(by, t, s.Shape[:n])
	if t.Block.InColumns() && t.Strided() && cute.IsTensorCopy(by) && len(s.Stride) == len(s.Shape) {
		out.Tile = &cute.Layout{Shape: &value.Sequence{Elems: s.Shape[:n]}, Stride: &value.Sequence{Elems: s.Stride[:n]}}
		out.Layout = &value.Sequence{Elems: append(slices.Repeat([]value.Value{value.None{}}, len(shape)-len(s.Shape)+n), s.Stride[n:]...)}
	}
	return out
}
