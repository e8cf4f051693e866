package combination

import "strings"

// Plausible is the number that a host parameter of no known value is given: small enough to be searched, and such that
// the alignment checks of the host code pass.
func Plausible(name string) int64 {
	name = strings.ToLower(name)
	if i := strings.LastIndex(name, ")."); i >= 0 { // an attribute of what a call gave
		name = name[i+2:]
	}
	name, call, _ := strings.Cut(name, "(")
	if strings.HasSuffix(name, "rank") || name == "len" && strings.Contains(call, "shape") {
		return 3
	}
	for _, p := range plausibleValues {
		for _, w := range p.words {
			if strings.Contains(name, w) {
				return p.value
			}
		}
	}
	return 128
}

// sharedCapacity is the shared memory that a CTA may have, of sm_90 and sm_100 (CUDA Programming Guide, compute capabilities).
const sharedCapacity = 227 << 10

// OfDevice reports whether an unknown is taken for a property of the device: there are no devices that have another one at will.
func OfDevice(name string) bool { return Plausible(name) == sharedCapacity }

var plausibleValues = []struct {
	value int64
	words []string
}{
	{sharedCapacity, []string{"shared_memory_per_block", "shared_memory_per_multiprocessor", "max_shared_mem", "smem_capacity"}},
	{2, []string{"stage"}},
	{4, []string{"warp"}},
	{128, []string{"thread", "head_dim", "headdim", "tile"}},
	{8, []string{"vec"}},
	{1, []string{"num_", "count", "cluster", "group", "split", "batch", "rank", "_per_", "idx", "index", "offset", "device", "version", "cta"}},
}
