# Nobody waits for the last stages to be freed: a CTA may be gone when another frees one in it.
# expect: violated lifetime
# small: -
# configuration: cluster[0]=2
import argparse

import cutlass
import cutlass.cute as cute
from cutlass.experimental import primitives as prims

STAGES = 2
TRIPS = 5
SLICE = 2048


class Spread:
    def __init__(self, cluster):
        self.cluster = cluster
        self.size = cluster[0] * cluster[1]

    @cute.jit
    def __call__(self, source: cute.Tensor, smem: cutlass.Constexpr):
        self.kernel(source, smem).launch(grid=(8, 8, 1), block=(64, 1, 1), cluster=(self.cluster[0], self.cluster[1], 1))

    @cute.kernel
    def kernel(self, source: cute.Tensor, smem: cutlass.Constexpr):
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        rank = cute.arch.make_warp_uniform(cute.arch.block_idx_in_cluster())
        full = smem.alloc_mbarrier(STAGES)
        empty = smem.alloc_mbarrier(STAGES)
        stages = smem.alloc_array(cutlass.Float16, STAGES * self.size)
        if warp == 0:
            with cute.arch.elect_one():
                for s in cutlass.range_constexpr(STAGES):
                    cute.arch.mbarrier_init(full + s, 1)
                    cute.arch.mbarrier_init(empty + s, self.size)
                cute.arch.mbarrier_init_fence()
        cute.arch.cluster_arrive_relaxed()
        cute.arch.cluster_wait()
        if warp == 0:
            for i in range(TRIPS):
                s = i % STAGES
                cute.arch.mbarrier_wait(empty + s, (i // STAGES + 1) % 2)
                with cute.arch.elect_one():
                    cute.arch.mbarrier_arrive_and_expect_tx(full + s, self.size * SLICE)
                    prims.cp_async_bulk_tensor_shared_cluster_global(
                        stages + s * self.size + rank, source, (i, rank), full + s, multicast_mask=(1 << self.size) - 1
                    )
        if warp == 1:
            for i in range(TRIPS):
                s = i % STAGES
                cute.arch.mbarrier_wait(full + s, i // STAGES % 2)
                cute.arch.sync_warp()
                with cute.arch.elect_one():
                    for peer in cutlass.range_constexpr(self.size):
                        cute.arch.mbarrier_arrive(empty + s, peer)


def run(shape, cluster):
    if cluster[0] * cluster[1] > 8:
        raise ValueError("a cluster has at most eight CTAs")
    spread = Spread(cluster)
    source = cute.runtime.make_fake_compact_tensor(cutlass.Float16, shape)
    cute.compile(spread, source, prims.SmemAllocator())


def pair(text):
    return tuple(int(n) for n in text.split(","))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--shape", type=pair, default=(256, 256))
    parser.add_argument("--cluster", type=pair, default=(1, 1))
    args = parser.parse_args()
    run(args.shape, args.cluster)
