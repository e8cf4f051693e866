package explore

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// store holds distinct states, encoded one after the other in chunks, with the step that first led to each.
// Looking a state up allocates nothing; adding one allocates only when a chunk is full or the lists grow.
type store struct {
	slots  int     // leading entries of a state that are counts, mostly zero
	fields []int32 // the other entries that are not always what they are at the start
	chunks [][]byte
	starts []uint32 // of each state: the chunk and the place in it
	parent []int32
	moves  []move
	table  []uint64 // open addressing: part of the hash, and the index+1 of a state; 0 for free
	seed   maphash.Seed
	buf    []byte
	occ    []int32 // occupied slots of the last state encoded or decoded
	held   int64   // bytes in chunks
	limit  int64   // bytes in all
	full   bool    // there is no room for a larger table, and no place left in this one
}

// move is one step of one thread, or one completion, as the slot it leaves.
type move int32

// chunkBits is the size of a chunk: what a store grows by, so that growing copies and wastes little.
const chunkBits = 20

func newStore(m *protocol.Machine) *store {
	return &store{slots: len(m.Slots), fields: m.Fields(), table: make([]uint64, 1<<10), seed: maphash.MakeSeed(), limit: math.MaxInt64}
}

func (t *store) len() int { return len(t.starts) }

// bytes is the memory in use.
func (t *store) bytes() int64 {
	return t.held + 4*int64(cap(t.starts)+cap(t.parent)+cap(t.moves)) + 8*int64(len(t.table))
}

// encode writes s to the buffer: slots as gap and count, then the fields. Of the slots only those listed are looked at,
// which are in order; others are not occupied.
func (t *store) encode(s protocol.State, slots []int32) {
	b, occ, last := t.buf[:0], t.occ[:0], int32(-1)
	for _, i := range slots {
		n := s[i]
		if n == 0 || i == last {
			continue
		}
		if gap := i - last; gap < 128 && n < 128 {
			b = append(b, byte(gap), byte(n))
		} else {
			b = binary.AppendUvarint(b, uint64(gap))
			b = binary.AppendUvarint(b, uint64(n))
		}
		occ = append(occ, i)
		last = i
	}
	b = append(b, 0)
	for _, k := range t.fields {
		v := s[k]
		if v >= 0 && v < 64 {
			b = append(b, byte(v<<1)) // what AppendVarint would write, without the call
			continue
		}
		b = binary.AppendVarint(b, int64(v))
	}
	t.buf, t.occ = b, occ
}

// at is the encoding of state i, and what follows it.
func (t *store) at(i int) []byte {
	start := t.starts[i]
	return t.chunks[start>>chunkBits][start&(1<<chunkBits-1):]
}

// decode reads state i into s, which holds the state whose occupied slots are listed.
func (t *store) decode(i int, s protocol.State, occupied []int32) {
	b := t.at(i)
	for _, k := range occupied {
		s[k] = 0
	}
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
	for _, k := range t.fields {
		if b[0] < 128 && b[0]&1 == 0 {
			s[k], b = int(b[0]>>1), b[1:]
			continue
		}
		v, n := binary.Varint(b)
		s[k], b = int(v), b[n:]
	}
}

// add stores s unless it is known, and reports whether it was new. No slot but those listed is occupied.
func (t *store) add(s protocol.State, slots []int32, parent int, m move) bool {
	t.encode(s, slots)
	mask := uint64(len(t.table) - 1)
	hash := maphash.Bytes(t.seed, t.buf)
	h := hash & mask
	for ; t.table[h] != 0; h = (h + 1) & mask {
		// An encoding is no prefix of another one: it says itself where it ends.
		if e := t.table[h]; e>>32 == hash&(1<<32-1) && bytes.HasPrefix(t.at(int(uint32(e))-1), t.buf) {
			return false
		}
	}
	t.keep()
	t.parent = append(t.parent, int32(parent))
	t.moves = append(t.moves, m)
	t.table[h] = hash<<32 | uint64(len(t.starts))
	if 2*len(t.starts) > len(t.table) {
		t.widen()
	}
	return true
}

// keep puts the buffer into a chunk. The first one grows with what it holds, since most searches need little.
func (t *store) keep() {
	last := len(t.chunks) - 1
	if last < 0 || len(t.chunks[last])+len(t.buf) > 1<<chunkBits {
		var chunk []byte
		if last >= 0 {
			chunk = make([]byte, 0, max(1<<chunkBits, len(t.buf)))
		}
		t.chunks = append(t.chunks, chunk)
		t.held += int64(cap(chunk))
		last++
	}
	chunk := t.chunks[last]
	t.starts = append(t.starts, uint32(last)<<chunkBits|uint32(len(chunk)))
	t.chunks[last] = append(chunk, t.buf...)
	t.held += int64(cap(t.chunks[last]) - cap(chunk))
}

// widen grows the table while there is room for it, and for the old one until it is copied. Without room, it gets fuller.
func (t *store) widen() {
	if t.bytes()+16*int64(len(t.table)) <= t.limit {
		t.grow()
		return
	}
	t.full = 4*len(t.starts) > 3*len(t.table)
}

// grow doubles the table. The part of the hash that it holds says where in the larger one an entry goes.
func (t *store) grow() {
	table := make([]uint64, 2*len(t.table))
	mask := uint64(len(table) - 1)
	for _, e := range t.table {
		if e == 0 {
			continue
		}
		h := e >> 32 & mask
		for table[h] != 0 {
			h = (h + 1) & mask
		}
		table[h] = e
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
