package exec

import "testing"

// described is a descriptor of a matrix in shared memory (PTX ISA 9.7.16.4.1).
func described(start, leading, stride uint32, swizzle int64) int64 {
	return int64(start>>4) | int64(leading>>4)<<16 | int64(stride>>4)<<32 | 1<<46 | swizzle<<61
}

// TestSlicesMakeTheTile: the slices of K that instructions take, one after the other, are a tile, and no two have a byte in common.
func TestSlicesMakeTheTile(t *testing.T) {
	for _, c := range []struct {
		name       string
		rows, elem int
		transposed bool
		slices     int
		desc       func(k uint32) int64
		size       int
	}{
		{"K-major, 128 bytes", 128, 2, false, 4, func(k uint32) int64 { return described(4096+32*k, 16, 1024, 2) }, 128 * 128},
		{"K-major, 64 bytes", 64, 4, false, 2, func(k uint32) int64 { return described(4096+32*k, 16, 512, 4) }, 64 * 64},
		{"K-major, 32 bytes", 24, 1, false, 1, func(k uint32) int64 { return described(4096+32*k, 16, 256, 6) }, 24 * 32},
		{"K-major, units apart", 16, 2, false, 4, func(k uint32) int64 { return described(4096+32*k, 16, 2048, 2) }, 16 * 128},
		{"K-major, not swizzled", 128, 2, false, 4, func(k uint32) int64 { return described(4096+2*2048*k, 2048, 128, 0) }, 128 * 128},
		{"transposed, 128 bytes", 128, 2, true, 4, func(k uint32) int64 { return described(4096+2*1024*k, 64*128, 1024, 2) }, 128 * 128},
		{"transposed, 64 bytes", 64, 1, true, 2, func(k uint32) int64 { return described(4096+4*512*k, 0, 512, 4) }, 64 * 64},
		{"transposed, not swizzled", 64, 2, true, 4, func(k uint32) int64 { return described(4096+2*128*k, 128, 1024, 0) }, 64 * 128},
	} {
		seen := map[uint32]int{}
		for k := range c.slices {
			list, why := pieces(c.desc(uint32(k)), c.rows, c.elem, c.transposed)
			if why.Code != 0 {
				t.Errorf("%s: %s", c.name, why)
			}
			for _, p := range list {
				for at := p.at; at < p.at+p.size; at++ {
					seen[at]++
				}
			}
		}
		for at, n := range seen {
			if n > 1 || at < 4096 {
				t.Errorf("%s: byte %#x is read %d times", c.name, at, n)
				break
			}
		}
		if len(seen) != c.size {
			t.Errorf("%s: %d bytes are read, expected %d", c.name, len(seen), c.size)
		}
	}
}

// TestSwizzled: pieces of 16 bytes change places by the row that they are in.
func TestSwizzled(t *testing.T) {
	list, _ := pieces(described(1024+32, 16, 1024, 2), 8, 2, false)
	var got []uint32
	for _, p := range list {
		got = append(got, p.at-1024)
		if p.size != 32 {
			t.Errorf("a piece of %d bytes at %#x", p.size, p.at)
		}
	}
	for r, want := range []uint32{32, 32, 0, 0, 96, 96, 64, 64} {
		if at := uint32(r)*128 + want; len(got) != 8 || got[r] != at {
			t.Fatalf("pieces are at %v, expected row %d at %d", got, r, at)
		}
	}
}

// TestNotDescribed: what is not modelled says so.
func TestNotDescribed(t *testing.T) {
	for name, desc := range map[string]int64{"32-byte atoms": described(1024, 16, 1024, 1), "a stride beyond shared memory": described(1024, 16, 1<<17, 2), "a base offset": described(1024, 16, 1024, 2) | 1<<49,
		"an absolute stride": described(1024, 16, 1024, 2) | 1<<52} {
		if _, why := pieces(desc, 64, 2, false); why.Code == 0 {
			t.Errorf("%s is followed", name)
		}
	}
	if _, why := pieces(described(1024, 0, 1024, 2), 24, 2, true); why.Code == 0 {
		t.Error("24 transposed rows in units of 64 are followed")
	}
}
