package build

import (
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// The accesses between two operations of a group are a block. What goes on behind an operation that orders nothing is in several
// blocks one after another, and these begin in the same memory: a copy for each would take as much as the square of their number.

// Carried is how many accesses at the start of a block are those of the block before, in the same memory.
func Carried(blocks [][]protocol.Access, l int) int {
	if l == 0 || len(blocks[l-1]) == 0 || len(blocks[l]) == 0 || &blocks[l-1][0] != &blocks[l][0] {
		return 0
	}
	return min(len(blocks[l-1]), len(blocks[l]))
}

// Without takes accesses out of blocks; what is carried stays so.
func Without(blocks [][]protocol.Access, drop func(protocol.Access) bool) {
	for last := len(blocks) - 1; last >= 0; last-- {
		all, l := blocks[last], last
		for l > 0 && len(blocks[l-1]) > 0 && Carried(blocks, l) == len(blocks[l-1]) {
			l--
		}
		first := l
		if slices.ContainsFunc(all, drop) {
			kept := make([]protocol.Access, 0, len(all))
			for n := 0; n <= len(all); n++ {
				for l <= last && len(blocks[l]) == n {
					blocks[l] = slices.Clip(kept)
					l++
				}
				if n < len(all) && !drop(all[n]) {
					kept = append(kept, all[n])
				}
			}
		}
		last = first
	}
}

// apart gives each block memory of its own.
func apart(blocks [][]protocol.Access) {
	for l := range blocks {
		blocks[l] = slices.Clone(blocks[l])
	}
}

// Spread collects accesses that go on through blocks of a group, and adds them where they are not yet.
type Spread struct {
	known []protocol.Access
	kinds []int // of these, the first that is alike
	at    map[int][]int
}

// Add notes that an access goes on in the blocks from one to another.
func (s *Spread) Add(a protocol.Access, from, to int) {
	i := slices.IndexFunc(s.known, a.Equal)
	if i < 0 {
		i = len(s.known)
		kind := slices.IndexFunc(s.known, func(b protocol.Access) bool { return Alike(a, b) })
		if kind < 0 {
			kind = i
		}
		s.known, s.kinds = append(s.known, a), append(s.kinds, kind)
	}
	if s.at == nil {
		s.at = map[int][]int{}
	}
	for l := from; l <= to; l++ {
		if !slices.ContainsFunc(s.at[l], func(k int) bool { return s.kinds[k] == s.kinds[i] }) {
			s.at[l] = append(s.at[l], i)
		}
	}
}

// Into adds them.
func (s *Spread) Into(blocks [][]protocol.Access) {
	for l, more := range s.at {
		list := slices.Clip(blocks[l])
		for _, i := range more {
			if !slices.ContainsFunc(blocks[l], func(b protocol.Access) bool { return Alike(s.known[i], b) }) {
				list = append(list, s.known[i])
			}
		}
		blocks[l] = list
	}
}

// Alike reports whether two accesses are of the same elements in the same way, wherever they stand.
func Alike(a, b protocol.Access) bool {
	return a.Buffer == b.Buffer && a.Write == b.Write && a.Async == b.Async && a.Parts == b.Parts && slices.Equal(a.Elements, b.Elements)
}
