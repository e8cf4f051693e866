// Two CTAs of a cluster write into each other's rows in turns, which mbarriers of the other CTA tell.
// expect: holds open=order,race,race-grid
// small: -
#include <cutlass/arch/barrier.h>
#include <cute/arch/cluster_sm90.hpp>
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(64) swap(float* out, int n) {
  __shared__ cutlass::arch::ClusterBarrier turn[2];
  __shared__ float s[2][64];
  const uint32_t peer = cute::block_rank_in_cluster() ^ 1;
  if (threadIdx.x == 0) {
    turn[0].init(64);
    turn[1].init(64);
    cutlass::arch::fence_barrier_init();
  }
  cute::cluster_sync();
  for (int i = 0; i < n; ++i) {
    const uint32_t to = cute::set_block_rank(cute::cast_smem_ptr_to_uint(&s[i & 1][threadIdx.x]), peer);
    asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(to), "f"(1.0f) : "memory");
    turn[i & 1].arrive(peer);
    turn[i & 1].wait((i >> 1) & 1);
    out[blockIdx.x * 64 + threadIdx.x] += s[i & 1][63 - threadIdx.x];
  }
  cute::cluster_sync();
}
void run(float* o, int n) { swap<<<2, 64>>>(o, n); }
