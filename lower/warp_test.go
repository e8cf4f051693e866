package lower

import (
	"strings"
	"testing"
)

// warpKernel puts a body into a kernel of four warps with two mbarriers of one arrival.
func warpKernel(body string) string {
	return `import cutlass
import cutlass.cute as cute
import cutlass.experimental.primitives as prims
from cutlass import Int32, Int64

@cute.kernel
def k(n: Int32, limit: Int32, src: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    warp, lane = tid // 32, tid % 32
    bar = cutlass.Array(Int64, 2, space=cutlass.AddressSpace.smem, alignment=8)
    if tid == 0:
        prims.mbarrier_init(bar, 1)
        prims.mbarrier_init(bar.subview(1), 1)
    prims.fence_mbarrier_init()
    prims.barrier_cta_sync(0)
` + indent(body) + `
@cute.jit
def host(n: Int32, limit: Int32, src: cute.Tensor):
    k(n, limit, src).launch(grid=[1, 1, 1], block=[128, 1, 1])
`
}

// What lanes of a warp do together, and what some of them do.
func TestWarps(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"half a warp elects", "if tid < 16:\n    if prims.elect_sync(membermask=0xFFFF):\n        prims.mbarrier_arrive(bar)\n", "holds"},
		{"the upper half elects", "if tid < 32 and lane >= 16:\n    if prims.elect_sync(membermask=0xFFFF0000):\n        prims.mbarrier_arrive(bar)\n", "holds"},
		{"one warp reduces", "if warp == 0:\n    x = cute.arch.warp_reduction_max(src[tid])\n    if tid == 0:\n        prims.mbarrier_arrive(bar)\nprims.barrier_cta_sync(0)\n", "holds"},
		{"copies before their expect", roundTrips("copies()\n    announce()"), "holds"},
		{"copies after their expect", roundTrips("announce()\n    copies()"), "holds"},
	} {
		if got := verdict(t, warpKernel(c.body)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// roundTrips is a thread that loads two buffers three times, in copies of a size that is not known.
func roundTrips(order string) string {
	return `one = cutlass.Array(cutlass.Uint8, 64, space=cutlass.AddressSpace.smem)
two = cutlass.Array(cutlass.Uint8, 64, space=cutlass.AddressSpace.smem)
def copies():
    prims.cp_async_bulk_shared_cluster_global(one, src, bar, limit)
    prims.cp_async_bulk_shared_cluster_global(two, src, bar, limit)
def announce():
    prims.mbarrier_arrive_expect_tx(bar, 2 * limit)
if tid == 0:
  for i in range(3):
    ` + order + `
    while not prims.mbarrier_try_wait_parity(bar, i % 2):
        pass
`
}

// A block that the grid does not have is nobody's.
func TestBlocksOfTheGrid(t *testing.T) {
	text := `import cutlass
import cutlass.cute as cute
from cutlass import Int32, Int64

@cute.kernel
def k(n: Int32):
    tid, _, _ = cute.arch.thread_idx()
    part, _, _ = cute.arch.block_idx()
    smem = cutlass.utils.SmemAllocator()
    bar = smem.allocate_array(Int64, 1)
    if tid == 0:
        cute.arch.mbarrier_init(bar, 1)
    cute.arch.sync_threads()
    if part < n:
        if tid == 0:
            cute.arch.mbarrier_arrive(bar)
    cute.arch.mbarrier_wait(bar, 0)

@cute.jit
def host(n: Int32):
    k(n).launch(grid=(n, 1, 1), block=(32, 1, 1))
`
	if got := verdict(t, text); got != "holds" {
		t.Errorf("got %s", got)
	}
	if got := verdict(t, strings.Replace(text, "grid=(n,", "grid=(n * 2,", 1)); got != "deadlock" {
		t.Errorf("a wider grid: %s", got)
	}
}
