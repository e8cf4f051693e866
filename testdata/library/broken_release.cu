// Tiles stream through two stages of classes of CUTLASS as in right.cu, but a stage is given back before it is read.
// expect: violated race
// small: -
#include <cuda_runtime.h>
#include <cutlass/arch/barrier.h>
#include <cute/arch/copy_sm90_tma.hpp>

constexpr int STAGES = 2;
constexpr int TILE = 64;

using Barrier = cutlass::arch::ClusterTransactionBarrier;

struct Storage {
  alignas(128) float tile[STAGES][TILE];
  alignas(8) Barrier full[STAGES];
  alignas(8) Barrier empty[STAGES];
};

__global__ void __launch_bounds__(64) stream(const float* in, float* out, int tiles) {
  __shared__ Storage s;
  const int warp = cutlass::canonical_warp_idx_sync();
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; ++i) {
      s.full[i].init(1);
      s.empty[i].init(32);
    }
    cutlass::arch::fence_barrier_init();
  }
  __syncthreads();
  if (warp == 0) {
    if (cute::elect_one_sync()) {
      for (int t = 0; t < tiles; ++t) {
        const int stage = t % STAGES;
        s.empty[stage].wait(((t / STAGES) & 1) ^ 1);
        s.full[stage].arrive_and_expect_tx(TILE * sizeof(float));
        cute::SM90_BULK_COPY_G2S::copy(in + t * TILE, &s.full[stage].barrier_, s.tile[stage], TILE * sizeof(float));
      }
    }
  } else {
    for (int t = 0; t < tiles; ++t) {
      const int stage = t % STAGES;
      s.full[stage].wait((t / STAGES) & 1);
      s.empty[stage].arrive();
      out[t * TILE + threadIdx.x - 32] = s.tile[stage][threadIdx.x - 32] + s.tile[stage][threadIdx.x];
    }
  }
}

void run(const float* in, float* out, int tiles) { stream<<<1, 64>>>(in, out, tiles); }
