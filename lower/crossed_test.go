package lower

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/program"
)

// What a kernel of 128 threads does with global memory is its CTAs' own, or it is not shown to be.
func TestCrossed(t *testing.T) {
	const head = "__global__ void k(float* g, float* h, int n, int rows) {\n  __syncthreads();\n"
	for _, tt := range []struct{ name, body, launch, open string }{
		{"a tile each", "g[blockIdx.x * 128 + threadIdx.x] = 1.0f;", "n, 128", ""},
		{"a tile each, the other way round", "g[threadIdx.x + 128 * blockIdx.x] = h[threadIdx.x];", "n, 128", ""},
		{"a step short", "g[blockIdx.x * 127 + threadIdx.x] = 1.0f;", "n, 128", "block_idx.x"},
		{"the same", "g[threadIdx.x] = 1.0f;", "n, 128", "block_idx.x"},
		{"the same, of one CTA", "g[threadIdx.x] = 1.0f;", "1, 128", ""},
		{"a neighbour's edge", "float x = g[blockIdx.x * 128 + threadIdx.x - 1]; __syncthreads(); g[blockIdx.x * 128 + threadIdx.x] = x;", "n, 128", "block_idx.x"},
		{"of other memory", "float x = h[blockIdx.x * 128 + threadIdx.x - 1]; g[blockIdx.x * 128 + threadIdx.x] = x;", "n, 128", ""},
		{"interleaved", "g[threadIdx.x * gridDim.x + blockIdx.x] = 1.0f;", "64, 128", ""},
		{"in steps of the grid", "for (int i = 0; i < 4; i++) g[(i * gridDim.x + blockIdx.x) * 128 + threadIdx.x] = 1.0f;", "n, 128", ""},
		{"in steps of half the grid", "for (int i = 0; i < 4; i++) g[i * gridDim.x * 64 + blockIdx.x * 128 + threadIdx.x] = 1.0f;", "n, 128", "block_idx.x"},
		{"in steps of a grid that is known", "for (int i = 0; i < 4; i++) g[(i * 64 + blockIdx.x) * 128 + threadIdx.x] = 1.0f;", "64, 128", ""},
		{"in steps of less than it", "for (int i = 0; i < 4; i++) g[(i * 63 + blockIdx.x) * 128 + threadIdx.x] = 1.0f;", "64, 128", "block_idx.x"},
		{"two axes", "g[blockIdx.y * 1024 + blockIdx.x * 128 + threadIdx.x] = 1.0f;", "dim3(8, 4), 128", ""},
		{"two axes that meet", "g[blockIdx.y * 512 + blockIdx.x * 128 + threadIdx.x] = 1.0f;", "dim3(8, 4), 128", "block_idx"},
		{"an axis left out", "g[blockIdx.x * 128 + threadIdx.x] = 1.0f;", "dim3(8, 4), 128", "block_idx.y"},
		{"sums", "atomicAdd(&g[0], 1.0f);", "n, 128", ""},
		{"sums and a look", "atomicAdd(&g[0], 1.0f); h[blockIdx.x * 128 + threadIdx.x] = g[0];", "n, 128", "g is written"},
		{"sums of a CTA", "atomicAdd_block(&g[0], 1.0f);", "n, 128", "g is written"},
		{"by data", "g[(int)h[threadIdx.x]] = 1.0f;", "n, 128", "g is written"},
		{"under a condition", "if (threadIdx.x < rows) g[blockIdx.x * 128 + threadIdx.x + 1] = g[0];", "n, 128", "g may be written"},
	} {
		text := head + "  " + tt.body + "\n}\nvoid run(float* g, float* h, int n, int rows) { k<<<" + tt.launch + ">>>(g, h, n, rows); }\n"
		k := Kernels(read("k.cu", text), dialect.New(program.CUDA), Options{})[0]
		checkOpen(t, tt.name, k, finding.RaceGrid, tt.open)
	}
}

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
