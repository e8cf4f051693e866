// Two tensor copies come in one phase; who has waited for it reads both, and next they come when all have read.
// expect: inconclusive
// small: -
#include <cuda.h>
#include <cstdint>
__device__ void load(uint32_t to, const CUtensorMap* map, int x, int y, uint32_t bar) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(bar) : "memory");
}
__device__ void wait(uint32_t bar, uint32_t parity) {
  uint32_t done = 0;
  while (!done)
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p;}" : "=r"(done) : "r"(bar), "r"(parity) : "memory");
}
__global__ void __launch_bounds__(128) dots(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* out) {
  __shared__ alignas(128) float left[128], right[128];
  __shared__ alignas(8) uint64_t full;
  uint32_t bar = (uint32_t)__cvta_generic_to_shared(&full);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 4; k++) {
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(bar));
      load((uint32_t)__cvta_generic_to_shared(left), &a, 0, k, bar);
      load((uint32_t)__cvta_generic_to_shared(right), &b, 0, k, bar);
    }
    wait(bar, k & 1);
    sum += left[threadIdx.x & 3] * right[threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
