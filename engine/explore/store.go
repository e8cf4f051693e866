package explore

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// store holds distinct states, encoded one after the other in one arena, with the step that first led to each.
// Looking a state up allocates nothing; adding one allocates only when the arena grows.
type store struct {
	slots  int // leading entries of a state that are counts, mostly zero
	arena  []byte
	ends   []uint32 // end of each state in the arena
	parent []int32
	moves  []move
	table  []int32 // open addressing: index+1 of a state, 0 for free
	seed   maphash.Seed
	buf    []byte
	occ    []int32 // occupied slots of the last state encoded or decoded
}

// move is one step of one thread, or one completion, as the slot it leaves.
type move int32

func newStore(slots int) *store {
	return &store{slots: slots, table: make([]int32, 1<<10), seed: maphash.MakeSeed()}
}

func (t *store) len() int { return len(t.ends) }

// bytes is the memory in use, counting what a doubling has reserved.
func (t *store) bytes() int64 {
	return int64(cap(t.arena)) + 4*int64(cap(t.ends)+cap(t.parent)+cap(t.moves)+len(t.table))
}

// encode writes s to the buffer: occupied slots as gap and count, then the fields of the objects.
func (t *store) encode(s protocol.State) {
	b, occ, last := t.buf[:0], t.occ[:0], -1
	for i, n := range s[:t.slots] {
		if n != 0 {
			b = binary.AppendUvarint(b, uint64(i-last))
			b = binary.AppendUvarint(b, uint64(n))
			occ = append(occ, int32(i))
			last = i
		}
	}
	b = append(b, 0)
	for _, v := range s[t.slots:] {
		if v >= 0 && v < 64 {
			b = append(b, byte(v<<1)) // what AppendVarint would write, without the call
			continue
		}
		b = binary.AppendVarint(b, int64(v))
	}
	t.buf, t.occ = b, occ
}

func (t *store) at(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = t.ends[i-1]
	}
	return t.arena[start:t.ends[i]]
}

// decode reads state i into s.
func (t *store) decode(i int, s protocol.State) {
	b := t.at(i)
	clear(s[:t.slots])
	t.occ = t.occ[:0]
	for slot := -1; ; {
		gap, n := binary.Uvarint(b)
		b = b[n:]
		if gap == 0 {
			break
		}
		slot += int(gap)
		count, n := binary.Uvarint(b)
		b = b[n:]
		s[slot] = int(count)
		t.occ = append(t.occ, int32(slot))
	}
	for k := t.slots; k < len(s); k++ {
		if b[0] < 128 && b[0]&1 == 0 {
			s[k], b = int(b[0]>>1), b[1:]
			continue
		}
		v, n := binary.Varint(b)
		s[k], b = int(v), b[n:]
	}
}

// add stores s unless it is known, and reports whether it was new.
func (t *store) add(s protocol.State, parent int, m move) bool {
	t.encode(s)
	mask := uint64(len(t.table) - 1)
	h := maphash.Bytes(t.seed, t.buf) & mask
	for ; t.table[h] != 0; h = (h + 1) & mask {
		if bytes.Equal(t.at(int(t.table[h]-1)), t.buf) {
			return false
		}
	}
	t.arena = append(t.arena, t.buf...)
	t.ends = append(t.ends, uint32(len(t.arena)))
	t.parent = append(t.parent, int32(parent))
	t.moves = append(t.moves, m)
	t.table[h] = int32(len(t.ends))
	if 2*len(t.ends) > len(t.table) {
		t.grow()
	}
	return true
}

func (t *store) grow() {
	table := make([]int32, 2*len(t.table))
	mask := uint64(len(table) - 1)
	for i := range t.ends {
		h := maphash.Bytes(t.seed, t.at(i)) & mask
		for table[h] != 0 {
			h = (h + 1) & mask
		}
		table[h] = int32(i + 1)
	}
	t.table = table
}

// path lists the moves from the initial state to state i.
func (t *store) path(i int) []move {
	var out []move
	for ; t.parent[i] >= 0; i = int(t.parent[i]) {
		out = append(out, t.moves[i])
	}
	slices.Reverse(out)
	return out
}
