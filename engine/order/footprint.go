package order

import (
	"math/bits"
	"math/rand/v2"
)

// footprint is which lanes access which bytes: commands in loops, and of all warps, have few.
type footprint struct {
	printKey
	touches []visit
}

type printKey struct {
	Address
	lanes uint32
}

// visit is the lanes that access a cell.
type visit struct {
	cell  int32
	lanes uint32
}

// print takes down the footprint of the next access of a strand.
func (m *cells) print(s *strand, a Address, lanes uint32) {
	k := printKey{a, lanes}
	n, ok := m.known[k]
	if !ok {
		if m.known == nil {
			m.known = map[printKey]uint32{}
		}
		n = uint32(len(m.prints))
		m.known[k] = n
		m.prints = append(m.prints, footprint{printKey: k})
		m.r.memory += 96
	}
	s.prints = append(s.prints, n)
	m.r.memory += 4
}

// cellsOf calls do for every cell of a footprint with the lanes that access it.
func (m *cells) cellsOf(f *footprint, do func(cell int32, lanes uint32)) {
	if f.Size == 0 {
		return
	}
	if f.Stride == 0 {
		for i, last := m.rank(f.Base), m.rank(f.Base+f.Size-1); i <= last; i++ {
			do(i, f.lanes)
		}
		return
	}
	for mask := f.lanes; mask != 0; mask &= mask - 1 {
		lo := f.lane(bits.TrailingZeros32(mask))
		for i, last := m.rank(lo), m.rank(lo+f.Size-1); i <= last; i++ {
			do(i, mask&-mask)
		}
	}
}

// classify finds cells that all accesses treat alike: what lane l does to one, lane l+d does to the other, for one d. Lanes of a
// strand are ordered alike and a footprint is of one strand's lanes, so what holds for one of these cells holds for all, and
// one of them is enough to look at. A warp that reads a row of words is so looked at once, not for each of its lanes.
func (m *cells) classify() {
	hash := make([][2]uint64, len(m.list))
	seed := [2]uint64{rand.Uint64(), rand.Uint64()} // so that no program can be made to meet in them
	for n := range m.prints {
		m.cellsOf(&m.prints[n], func(i int32, lanes uint32) {
			turn := bits.RotateLeft32(lanes, -int(i&31))
			x := uint64(n)<<32 | uint64(turn)
			hash[i][0] += mix(x ^ seed[0])
			hash[i][1] += mix(x ^ seed[1])
		})
		if m.spent(n) {
			return
		}
	}
	first := map[[2]uint64]int32{}
	for i := range m.list {
		c, ok := first[hash[i]]
		if !ok {
			c = int32(i)
			first[hash[i]] = c
		}
		m.list[i].class = c
		m.list[c].size++
	}
	for n := range m.prints {
		f := &m.prints[n]
		m.cellsOf(f, func(i int32, lanes uint32) {
			if m.list[i].class == i {
				f.touches = append(f.touches, visit{i, lanes})
				m.r.memory += 8
			}
		})
		if m.spent(n) {
			return
		}
	}
}

// mix spreads the bits of a number (the finalizer of splitmix64).
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
