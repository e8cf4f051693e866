package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"os"
	"slices"
)

const (
	mostValue = 16 << 10  // bytes of a value
	mostShard = 512 << 10 // bytes of a file: what is oldest goes first

	head = "fencepost cache 1\n" // before the checksum of the rest
)

// entry is a key and its value in a shard.
type entry struct {
	key   Key
	value []byte
}

// shard is one file: its entries, those asked for last at the end.
type shard struct {
	list    []entry
	at      map[Key]int // where in list; an entry that moved leaves an empty one
	changed bool        // there is something to write
}

// read reads a shard. One that is not as it was written is empty: nothing in it can be believed.
func read(name string) *shard {
	s := &shard{at: map[Key]int{}}
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostShard {
		return s
	}
	f, err := os.Open(name)
	if err != nil {
		return s
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostShard+1))
	if err != nil || len(data) > mostShard {
		return s
	}
	rest, ok := bytes.CutPrefix(data, []byte(head))
	if !ok || len(rest) < sha256.Size {
		return s
	}
	sum := sha256.Sum256(rest[sha256.Size:])
	if !bytes.Equal(sum[:], rest[:sha256.Size]) {
		return s
	}
	for rest = rest[sha256.Size:]; len(rest) > len(Key{}); {
		n, size := binary.Uvarint(rest[len(Key{}):])
		if size <= 0 || n > uint64(len(rest)-len(Key{})-size) {
			break
		}
		value := rest[len(Key{})+size:][:n]
		s.add(Key(rest), value)
		rest = rest[len(Key{})+size+int(n):]
	}
	return s
}

func (s *shard) add(key Key, value []byte) {
	s.drop(key)
	s.at[key] = len(s.list)
	s.list = append(s.list, entry{key, value})
}

// get moves what it finds to the end: what is used stays.
func (s *shard) get(key Key) ([]byte, bool) {
	i, ok := s.at[key]
	if !ok {
		return nil, false
	}
	value := s.list[i].value
	s.add(key, value)
	return value, true
}

func (s *shard) put(key Key, value []byte) {
	s.add(key, value)
	s.changed = true
}

func (s *shard) drop(key Key) {
	if i, ok := s.at[key]; ok {
		s.list[i].value = nil
		delete(s.at, key)
	}
}

// over writes the shard down after what other processes have written meanwhile, as much of it as there is room for.
func (s *shard) over(other *shard) []byte {
	for _, e := range s.list {
		if e.value != nil {
			other.add(e.key, e.value)
		}
	}
	var parts [][]byte
	size := len(head) + sha256.Size
	for _, e := range slices.Backward(other.list) {
		if e.value == nil {
			continue
		}
		part := binary.AppendUvarint(slices.Clone(e.key[:]), uint64(len(e.value)))
		part = append(part, e.value...)
		if size += len(part); size > mostShard {
			break
		}
		parts = append(parts, part)
	}
	slices.Reverse(parts)
	rest := bytes.Join(parts, nil)
	sum := sha256.Sum256(rest)
	return slices.Concat([]byte(head), sum[:], rest)
}
