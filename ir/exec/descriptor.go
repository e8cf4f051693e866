package exec

import (
	"slices"

	"github.com/fencepost-dev/fencepost/limit"
)

// piece is bytes of shared memory.
type piece struct{ at, size uint32 }

// pieces are what of a matrix in shared memory one instruction reads: rows of 32 bytes in K, that is, or as many columns of K
// where it is transposed. The descriptor says how it lies (PTX ISA 9.7.16.4.1, tcgen05; in one of the canonical layouts): units of
// eight rows, or of eight elements in K, one leading or stride dimension byte offset apart. Swizzling exchanges pieces of 16 bytes
// within the units, by bits of their address.
func pieces(desc int64, rows, elem int, transposed bool) ([]piece, limit.Reason) {
	field := func(from, bits int) uint32 { return uint32(desc >> from & (1<<bits - 1)) }
	start, leading, stride := field(0, 14)<<4, field(16, 14)<<4, field(32, 14)<<4
	swizzle := field(61, 3)
	width, known := map[uint32]uint32{0: 16, 2: 128, 4: 64, 6: 32}[swizzle] // bytes of a row of a unit
	switch {
	case !known:
		return nil, limit.Operation.Sayf("swizzling mode %d is not modelled", swizzle)
	case field(49, 3) != 0 || field(52, 1) != 0:
		return nil, limit.Operation.Says("base offsets and absolute strides are not modelled")
	}
	var out []piece
	groups := uint32(rows) / 8
	switch {
	case !transposed && swizzle == 0:
		for g := range groups {
			out = append(out, piece{start + g*stride, 128}, piece{start + g*stride + leading, 128})
		}
	case !transposed:
		turn := width/16 - 1
		for r := range uint32(rows) {
			for chunk := range uint32(sliceBytes / 16) {
				at := start + r/8*stride + r%8*width + chunk*16
				out = append(out, piece{at ^ at>>7&turn<<4, 16})
			}
		}
	default:
		if swizzle == 0 { // the offsets change places
			leading, stride = stride, leading
		}
		across := uint32(rows * elem)
		if across%width != 0 || start%(8*width) != 0 && swizzle != 0 {
			return nil, limit.Operation.Says("it is transposed and does not begin and end with a unit")
		}
		for i := range across / width {
			for k := range uint32(sliceBytes / elem / 8) {
				out = append(out, piece{start + i*leading + k*stride, 8 * width})
			}
		}
	}
	out = joinedPieces(out)
	if last := out[len(out)-1]; last.at+last.size > 1<<18 { // what an address in a descriptor can say
		return nil, limit.Undefined.Says("it goes beyond shared memory")
	}
	return out, limit.Reason{}
}

// warpgroupDescriptor is a descriptor of wgmma as tcgen05 would have it: the same places, and other numbers for swizzling (PTX ISA
// 9.7.15.5.1.2).
func warpgroupDescriptor(desc int64) int64 {
	swizzle := [...]int64{0, 2, 4, 6}[desc>>62&3]
	return desc&(1<<52-1) | swizzle<<61
}

// joinedPieces makes one piece of those that touch.
func joinedPieces(list []piece) []piece {
	slices.SortFunc(list, func(a, b piece) int { return int(a.at) - int(b.at) })
	out := list[:0]
	for _, p := range list {
		if n := len(out); n > 0 && out[n-1].at+out[n-1].size >= p.at {
			out[n-1].size = max(out[n-1].size, p.at+p.size-out[n-1].at)
			continue
		}
		out = append(out, p)
	}
	return out
}
