package lower

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// gpuRing is a kernel in which each GPU waits for the one before it.
const gpuRing = `#include <cuda_runtime.h>
template <int N> struct Reach { unsigned* flag[N]; };
__device__ unsigned look(const unsigned* p) { unsigned v; asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
__device__ void tell(unsigned* p, unsigned v) { asm volatile("st.release.sys.global.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory"); }
template <int N> __global__ void relay(Reach<N> all, int rank) {
  if (threadIdx.x == 0) {
    tell(all.flag[(rank + 1) % N] + blockIdx.x, 1);
    while (look(all.flag[rank] + blockIdx.x) != 1) {}
  }
}
`

func TestSeveralGPUs(t *testing.T) {
	for _, c := range []struct{ name, host, gpus, opaque string }{
		{"one after the other", `void run(Reach<3> all) { for (int d = 0; d < 3; ++d) { cudaSetDevice(d); relay<3><<<2, 32>>>(all, d); } }`, "3, 2 CTAs on each in a row", ""},
		{"cooperatively", `void run(Reach<3> all) { for (int d = 0; d < 3; ++d) { void* args[] = {&all, &d}; cudaSetDevice(d); cudaLaunchCooperativeKernel((void*)relay<3>, dim3(2), 32, args, 0, 0); } }`, "3, 2 CTAs on each in a row", ""},
		{"again on the first", `void run(Reach<2> all) { for (int i = 0; i < 4; ++i) { cudaSetDevice(i % 2); relay<2><<<1, 32>>>(all, i % 2); } }`, "2, 1 CTAs on each in a row", ""},
		{"each its own grid", `void run(Reach<2> all) { for (int d = 0; d < 2; ++d) { cudaSetDevice(d); relay<2><<<1 + d, 32>>>(all, d); } }`, "", "another one on each GPU"},
		{"again with other threads", `void run(Reach<2> all) { cudaSetDevice(0); relay<2><<<1, 32>>>(all, 0); relay<2><<<1, 64>>>(all, 0); }`, "", "which other GPUs may store to"},
		{"a host that goes on", `void run(Reach<2> all) { for (int d = 0; d < 2; ++d) { cudaSetDevice(d); relay<2><<<1, 32>>>(all, d); } for (int d = 0; d < 2; ++d) { cudaSetDevice(d); cudaDeviceSynchronize(); } }`, "2, 1 CTAs on each in a row", ""},
		{"a process for each", `void run(Reach<2> all, int rank) { cudaSetDevice(rank); relay<2><<<1, 32>>>(all, rank); }`, "", "polls memory"},
		{"one GPU", `void run(Reach<2> all) { relay<2><<<1, 32>>>(all, 0); }`, "", "which other GPUs may store to"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := Kernels(read("k.cu", gpuRing+c.host), dialect.New(program.CUDA), Options{})[0]
			if got := k.Bounds["gpus"]; got != c.gpus {
				t.Errorf("gpus %q, want %q", got, c.gpus)
			}
			var why []string
			for _, o := range k.Opaque {
				why = append(why, o.Why)
			}
			if (len(why) == 0) != (c.opaque == "") || !strings.Contains(strings.Join(why, "; "), c.opaque) {
				t.Errorf("opaque %q, want %q", why, c.opaque)
			}
			if c.opaque != "" {
				return
			}
			p := k.Instances[0]
			if p.GPUs < 2 || p.CTAs%p.GPUs != 0 || len(p.Flags) != p.CTAs {
				t.Errorf("%d CTAs on %d GPUs, %d flags\n%s", p.CTAs, p.GPUs, len(p.Flags), p)
			}
			if err := p.Validate(); err != nil {
				t.Error(err)
			}
		})
	}
}
