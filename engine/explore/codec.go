package explore

import (
	"encoding/binary"

	"github.com/fencepost-dev/fencepost/protocol"
)

// codec writes states as few bytes, and reads them.
type codec struct {
	slots  int     // leading entries of a state that are counts, mostly zero
	fields []int32 // the other entries that are not always what they are at the start
	occ    []int32 // occupied slots of the last state encoded or decoded
}

func newCodec(m *protocol.Machine) codec { return codec{slots: len(m.Slots), fields: m.Fields()} }

// encode appends s: slots as gap and count, then the fields. Of the slots only those listed are looked at, which are in
// order; others are not occupied.
func (t *codec) encode(b []byte, s protocol.State, slots []int32) []byte {
	occ, last := t.occ[:0], int32(-1)
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
	t.occ = occ
	return b
}

// decode reads a state into s, which holds the state whose occupied slots are listed.
func (t *codec) decode(b []byte, s protocol.State, occupied []int32) {
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
