package lower

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/program"
)

func TestCrossedByTensors(t *testing.T) {
	const head = `import cutlass
import cutlass.cute as cute

@cute.kernel
def k(g: cute.Tensor, h: cute.Tensor, n: cutlass.Int32):
    tid, _, _ = cute.arch.thread_idx()
    bx, by, _ = cute.arch.block_idx()
    cute.arch.sync_threads()
`
	for _, tt := range []struct{ name, body, grid, open string }{
		{"rows", "g[bx, tid] = 1.0", "n, 1, 1", ""},
		{"columns", "g[tid, bx] = 1.0", "n, 1, 1", ""},
		{"the next row is read", "g[bx, tid] = g[bx + 1, tid]", "n, 1, 1", "g is written"},
		{"elements", "g[bx * 128 + tid] = 1.0", "n, 1, 1", ""},
		{"elements that meet", "g[bx * 64 + tid] = 1.0", "n, 1, 1", "g is written"},
		{"a tile each", "cute.autovec_copy(h, cute.local_tile(g, (128, 64), (bx, by)))", "n, n, 1", ""},
		{"four modes in another order", "cute.make_tensor(g.iterator, cute.select(g.layout, mode=[1, 0, 3, 2])).fill(0.0)", "n, 1, 1", "is written"},
		{"one coordinate for two axes", "cute.autovec_copy(h, cute.local_tile(g, (128, 64), (bx, 0)))", "n, n, 1", "block_idx.y"},
		{"tiles of a division", "cute.autovec_copy(h, cute.zipped_divide(g, (128, 64))[(None, None), (bx, by)])", "n, n, 1", ""},
		{"two ways to divide", "cute.local_tile(g, (128, 64), (bx, by)).fill(0.0)\n    cute.local_tile(g, (64, 64), (bx, by)).fill(0.0)", "n, n, 1", "g is written"},
		{"the neighbour's tile is read", "cute.autovec_copy(cute.local_tile(g, (128,), (bx + 1,)), cute.local_tile(g, (128,), (bx,)))", "n, 1, 1", "g is written"},
		{"shifted", "cute.local_tile(cute.domain_offset((tid, 0), g), (128, 64), (bx, by)).fill(0.0)", "n, n, 1", "is written"},
		{"all of it", "g.fill(0.0)", "n, 1, 1", "g is written"},
		{"registers", "cute.make_rmem_tensor((4,), cutlass.Float32).fill(0.0)", "n, 1, 1", ""},
	} {
		text := head + "    " + tt.body + "\n\n@cute.jit\ndef run(g: cute.Tensor, h: cute.Tensor, n: cutlass.Int32):\n    k(g, h, n).launch(grid=(" + tt.grid + "), block=(128, 1, 1))\n"
		k := Kernels(read("k.py", text), dialect.New(program.CuTe), Options{})[0]
		checkOpen(t, tt.name, k, finding.RaceGrid, tt.open)
	}
}

// checkOpen compares what is open of a property with a part of the reason, "" where it is held.
func checkOpen(t *testing.T, name string, k *Kernel, property, want string) {
	t.Helper()
	if len(k.Instances) == 0 || len(k.Opaque) > 0 {
		t.Errorf("%s: not lowered: %v", name, k.Opaque)
		return
	}
	why := ""
	for _, o := range k.Open {
		if o.Property == property {
			why = o.Why
		}
	}
	if (want == "") != (why == "") || !strings.Contains(why, want) {
		t.Errorf("%s: %s is open by %q, want %q", name, property, why, want)
	}
}
