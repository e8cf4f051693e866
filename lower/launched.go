package lower

import (
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// Launch is the launch that an instance is of, in numbers: for whoever runs the kernel in another way and compares.
type Launch struct {
	Block, Cluster [3]int
	Grid           [3]int        // 0 where not known
	First          [3]int        // the block index of the model's first CTA
	Parameters     map[int]int64 // of the kernel, by index: those whose values are known
	Template       map[string]string
	Widths         []int    // bytes of an element of each of the instance's Buffers; 0 where not known
	Lost           []string // the buffers whose accesses are not all known
}

// Launch is the launch of one of Instances; nil for any other protocol.
func (k *Kernel) Launch(p *protocol.Protocol) *Launch { return k.launches[p] }

// launched notes how an instance is launched.
func (w *sweep) launched(in *instance, p *protocol.Protocol) {
	la := &Launch{Parameters: map[int]int64{}, Template: map[string]string{}, Widths: make([]int, len(p.Buffers))}
	for i, axis := range []string{"x", "y", "z"} {
		la.Block[i], la.Cluster[i], la.Grid[i] = int(in.block[i]), int(in.clus[i]), int(in.grid[i])
		if n, known := in.values["block_idx."+axis]; known {
			la.First[i] = int(n)
		}
		if n, known := in.values["cluster_idx."+axis]; known {
			la.First[i] = int(n * in.clus[i])
		}
	}
	m := &machine{in: in, host: true}
	worth := func(v value) (n value, known bool) {
		w.l.protect(func() { n, known = m.known(v) }, func(signal any) {
			if _, again := signal.(restart); again { // what was taken of an input falls: all is evaluated again
				w.dirty = true
			}
		})
		return n, known
	}
	for i, param := range w.fn.Params {
		v := value(atom(param.Name))
		if i < len(w.la.args) {
			v = w.la.args[i]
		}
		if n, known := worth(v); known {
			if n, one := n.(integer); one {
				la.Parameters[i] = int64(n)
			}
		}
	}
	for key, i := range in.bufKey {
		if i < len(la.Widths) && key.b.shared {
			la.Widths[i] = int(key.b.size)
		}
	}
	la.Lost = slices.Sorted(maps.Keys(in.lost))
	if w.k.launches == nil {
		w.k.launches = map[*protocol.Protocol]*Launch{}
	}
	w.k.launches[p] = la
}
