// The ring of store.cu whose sender gives a stage back before the copy has read it.
// expect: violated race
// small: -
#include <cutlass/arch/barrier.h>
#include <cute/arch/copy_sm90_tma.hpp>
using Barrier = cutlass::arch::ClusterTransactionBarrier;
struct Storage {
  alignas(128) float a[2][64];
  alignas(128) float b[2][64];
  Barrier come[2];
  Barrier gone[2];
  Barrier made[2];
  Barrier sent[2];
};
__global__ void __launch_bounds__(192) turn(const float* in, float* out, int n) {
  extern __shared__ char raw[];
  Storage& s = *reinterpret_cast<Storage*>(raw);
  const int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) {
      s.come[i].init(1);
      s.gone[i].init(64);
      s.made[i].init(64);
      s.sent[i].init(1);
    }
    cutlass::arch::fence_barrier_init();
  }
  __syncthreads();
  if (warp == 0) {
    if (threadIdx.x == 0) {
      for (int t = 0; t < n; ++t) {
        s.gone[t & 1].wait(((t >> 1) & 1) ^ 1);
        s.come[t & 1].arrive_and_expect_tx(256);
        cute::SM90_BULK_COPY_G2S::copy(in + t * 64, &s.come[t & 1].barrier_, s.a[t & 1], 256);
      }
    }
  } else if (warp == 1) {
    if (threadIdx.x == 32) {
      for (int t = 0; t < n; ++t) {
        s.made[t & 1].wait((t >> 1) & 1);
        cute::SM90_BULK_COPY_S2G::copy(s.b[t & 1], out + t * 64, 256);
        cute::tma_store_arrive();
        s.sent[t & 1].arrive();
      }
    }
  } else if (warp < 4) {
    const int lane = threadIdx.x - 64;
    for (int t = 0; t < n; ++t) {
      s.come[t & 1].wait((t >> 1) & 1);
      const float x = s.a[t & 1][63 - lane];
      s.gone[t & 1].arrive();
      s.sent[t & 1].wait(((t >> 1) & 1) ^ 1);
      s.b[t & 1][lane] = x;
      cute::tma_store_fence();
      s.made[t & 1].arrive();
    }
  }
}
void run(const float* i, float* o, int n) { turn<<<1, 192, 4096>>>(i, o, n); }
