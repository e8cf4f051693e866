package explore

import (
	"bytes"
	"hash/maphash"
	"math"
	"slices"
)

// store holds distinct states, encoded one after the other in chunks, with the step that first led to each.
// Looking a state up allocates nothing; adding one allocates only when a chunk is full or the lists grow.
type store struct {
	chunks [][]byte
	starts []uint32 // of each state: the chunk and the place in it
	parent []int32
	moves  []move
	table  []uint64 // open addressing: part of the hash, and the index+1 of a state; 0 for free
	seed   maphash.Seed
	held   int64 // bytes in chunks
	limit  int64 // bytes in all
	full   bool  // there is no room for a larger table, and no place left in this one
}

// move is one step of one thread, or one completion, as the slot it leaves.
type move int32

// chunkBits is the size of a chunk: what a store grows by, so that growing copies and wastes little.
const chunkBits = 20

func newStore() *store {
	return &store{table: make([]uint64, 1<<10), seed: maphash.MakeSeed(), limit: math.MaxInt64}
}

func (t *store) len() int { return len(t.starts) }

// bytes is the memory in use.
func (t *store) bytes() int64 {
	return t.held + 4*int64(cap(t.starts)+cap(t.parent)+cap(t.moves)) + 8*int64(len(t.table))
}

// at is the encoding of state i, and what follows it.
func (t *store) at(i int) []byte {
	start := t.starts[i]
	return t.chunks[start>>chunkBits][start&(1<<chunkBits-1):]
}

// holds reports whether the state that starts there has this encoding. An encoding is no prefix of another one: it says
// itself where it ends.
func (t *store) holds(start uint32, encoding []byte) bool {
	return bytes.HasPrefix(t.chunks[start>>chunkBits][start&(1<<chunkBits-1):], encoding)
}

// place is where a state is in the table, or would be.
func (t *store) place(hash uint64, encoding []byte) (h uint64, known bool) {
	mask := uint64(len(t.table) - 1)
	for h = hash & mask; t.table[h] != 0; h = (h + 1) & mask {
		if e := t.table[h]; e>>32 == hash&(1<<32-1) && t.holds(t.starts[uint32(e)-1], encoding) {
			return h, true
		}
	}
	return h, false
}

// add stores a state unless it is known, and reports whether it was new.
func (t *store) add(hash uint64, encoding []byte, parent int, m move) bool {
	h, known := t.place(hash, encoding)
	if known {
		return false
	}
	t.keep(encoding)
	t.parent = append(t.parent, int32(parent))
	t.moves = append(t.moves, m)
	t.table[h] = hash<<32 | uint64(len(t.starts))
	if 2*len(t.starts) > len(t.table) {
		t.widen()
	}
	return true
}

// keep puts an encoding into a chunk. The first one grows with what it holds, since most searches need little.
func (t *store) keep(encoding []byte) {
	last := len(t.chunks) - 1
	if last < 0 || len(t.chunks[last])+len(encoding) > 1<<chunkBits {
		var chunk []byte
		if last >= 0 {
			chunk = make([]byte, 0, max(1<<chunkBits, len(encoding)))
		}
		t.chunks = append(t.chunks, chunk)
		t.held += int64(cap(chunk))
		last++
	}
	chunk := t.chunks[last]
	t.starts = append(t.starts, uint32(last)<<chunkBits|uint32(len(chunk)))
	t.chunks[last] = append(chunk, encoding...)
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
