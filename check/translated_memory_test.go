package check

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
)

// TestTranslatedMemory: what lies where, in pairs of a right kernel and a broken one: what stands for WHAT is the difference.
func TestTranslatedMemory(t *testing.T) {
	const launch = "\nvoid run(const float* in, float* out, int* count, int n) { k<<<GRID, 128>>>(in, out, count, n); }\n"
	const head = "__global__ void k(const float* in, float* out, int* count, int n) { __shared__ float s[128]; int t = threadIdx.x; "
	for _, row := range []struct{ name, grid, right, broken, text string }{
		{"variable of the device", "1", "__syncthreads()", "", "__device__ float kept[128];\n" + head + "kept[t] = in[t]; WHAT; out[t] = kept[127 - t]; }"},
		{"variable of a namespace", "1", "__syncthreads()", "", "namespace a { __device__ float kept[128]; }\nnamespace b { __device__ float kept[256]; }\n" + head + "a::kept[t] = in[t]; b::kept[t] = 1.f; WHAT; out[t] = a::kept[127 - t]; }"},
		{"static variable", "1", "__syncthreads()", "", head + "static __device__ float kept[128]; kept[t] = in[t]; WHAT; out[t] = kept[127 - t]; }"},
		{"table of places", "1", "__syncthreads()", "", head + "int at[2]; for (int i = 0; i < 2; ++i) at[i] = i ? 127 - t : t; s[at[0]] = in[t]; WHAT; out[t] = s[at[1]]; }"},
		{"table that is handed on", "1", "__syncthreads()", "", "__device__ void places(int* at, int t) { for (int i = 0; i < 2; ++i) at[i] = i ? 127 - t : t; }\n" + head +
			"int at[2]; places(at, t); s[at[0]] = in[t]; WHAT; out[t] = s[at[1]]; }"},
		{"one of two memories", "1", "__syncthreads()", "", head + "const float* from = in + t; if (t > 63) from = s + (127 - t); s[t] = in[t]; WHAT; out[t] = *from; }"},
		{"its own or shared", "1", "__syncthreads()", "", head + "float mine = 0.f; float* from = &mine; if (t > 63) from = s + (127 - t); s[t] = in[t]; WHAT; out[t] = *from; }"},
		{"pointers that are swapped", "1", "__syncthreads()", "", head + "__shared__ float r[128]; float* a = s; float* b = r; a[t] = in[t]; __syncthreads(); for (int i = 0; i < 4; ++i) { b[t] = a[127 - t]; WHAT; float* c = a; a = b; b = c; } }"},
		{"place that is led to", "1", "127 - at[0]", "at[0]", head + "int x = t; int* at = &x; *at = 127 - t; s[t] = in[t]; s[WHAT] = 0.f; __syncthreads(); out[t] = s[t]; }"},
		{"pointer to a function", "1", "__syncthreads()", "", "typedef float (*get)(const float*, int);\n__device__ float same(const float* a, int t) { return a[t]; }\n__device__ float other(const float* a, int t) { return a[127 - t]; }\n" + head +
			"get f; if (n > 3) f = same; else f = other; s[t] = in[t]; WHAT; out[t] = (*f)(s, t); }"},
		{"goto back", "1", "__syncthreads()", "", head + "int i = 0; again: s[t] = in[t + i]; __syncthreads(); out[128 * i + t] = s[127 - t]; WHAT; if (++i < 3) goto again; }"},
		{"goto forward", "1", "__syncthreads()", "", head + "if (t >= n) goto none; s[t] = in[t]; goto over; none: s[t] = 0.f; over: WHAT; out[t] = s[127 - t]; }"},
		{"sync of a group", "1", "cg::sync(block)", "", "namespace cg = cooperative_groups;\n" + head + "auto block = cg::this_thread_block(); s[t] = in[t]; WHAT; out[t] = s[127 - t]; }"},
		{"sync of the grid", "4", "grid.sync()", "__syncthreads()", "__device__ float kept[512];\n" + head + "cooperative_groups::grid_group grid = cooperative_groups::this_grid(); int i = blockIdx.x * 128 + t; kept[i] = in[i]; WHAT; out[i] = kept[(i + 128) % 512]; }"},
		{"barrier of the grid for some", "4", "n > 0", "blockIdx.x > 0", head + "cooperative_groups::grid_group grid = cooperative_groups::this_grid(); if (WHAT) grid.sync(); }"},
		{"rank in the grid", "4", "thread_rank", "block_rank", "namespace cg = cooperative_groups;\n" + head + "auto grid = cg::this_grid(); out[grid.WHAT()] = t + blockIdx.x; }"},
		{"threads of the grid", "4", "num_threads", "num_blocks", "namespace cg = cooperative_groups;\n" + head + "auto grid = cg::this_grid(); for (int i = grid.thread_rank(); i < 1024; i += grid.WHAT()) out[i] += in[i]; }"},
		{"extents of groups", "4", "dim_threads", "thread_index", "namespace cg = cooperative_groups;\n" + head + "auto block = cg::this_thread_block(); out[cg::this_grid().block_index().x * block.WHAT().x + t] += in[t]; }"},
		{"lanes that are there", "1", "__syncthreads()", "", "namespace cg = cooperative_groups;\n" + head + "s[t] = in[t]; auto g = cg::coalesced_threads(); if (g.thread_rank() == 0) atomicAdd(count, g.size()); WHAT; out[t] = s[127 - t]; }"},
		{"zeros behind", "1", "__builtin_ctz(128)", "__builtin_ctz(64)", head + "out[t << WHAT] = 0.f; out[(t << 7) + 64] = 1.f; }"},
		{"first bit", "1", "__ffs(64)", "__ffs(32)", head + "out[t << WHAT] = 0.f; out[(t << 7) + 64] = 1.f; }"},
		{"bytes", "1", "4", "8", head + "memcpy(&out[t], &in[t], WHAT); }"},
		{"bytes of shared memory", "1", "__syncthreads()", "", head + "memcpy(&s[t], &in[t], sizeof(float)); WHAT; memcpy(&out[t], &s[127 - t], sizeof(float)); }"},
		{"ticket", "1", "1", "0", head + "int j = atomicAdd(count, WHAT); out[j] = t; }"},
		{"wide ticket", "1", "2", "1", head + "int j = atomicAdd(count, WHAT); out[j] = t; out[j + 1] = -t; }"},
		{"states of generators", "1", "t", "0", "__device__ curandState states[128];\n" + head + "out[t] = curand_uniform(&states[WHAT]); }"},
		{"what is not set", "1", "t", "5", "struct Two { int a, b; };\n__device__ Two kept[128];\n" + head + "Two none; kept[WHAT] = none; }"},
		{"pointers of a parameter", "1", "t", "0", "struct Two { float* p[2]; };\n__global__ void k(const float* in, float* out, int* count, Two q) { int t = threadIdx.x; q.p[1][WHAT] = t; }\n"},
		{"premise", "1", "128", "0", head + "__requires(n >= WHAT); __requires(n < 300); out[t] = 0.f; out[t + n] = 1.f; }"},
	} {
		for what, want := range map[string]engine.Verdict{row.right: engine.Holds, row.broken: engine.Violated} {
			text := strings.ReplaceAll(row.text, "WHAT", what) + strings.Replace(launch, "GRID", row.grid, 1)
			r, err := verdictOfText(t, "kernel.cu", text, nil)
			switch {
			case err != nil:
				t.Errorf("%s: %v", row.name, err)
			case r.Verdict != want || want == engine.Holds && r.Conflict != nil:
				t.Errorf("%s with %q: %v %v %v, expected %v", row.name, what, r.Verdict, r.Reasons, r.Conflict, want)
			}
		}
	}
}
