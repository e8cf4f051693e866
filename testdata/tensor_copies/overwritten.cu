// A tensor copy overwrites the zeroes: whether threads meet between the sums and who reads them is data.
// expect: inconclusive
// small: -
#include <cuda.h>
#include <cstdint>
__global__ void __launch_bounds__(128) sums(const __grid_constant__ CUtensorMap in, int* out) {
  __shared__ alignas(128) int tile[128];
  __shared__ int sum[128];
  __shared__ alignas(8) uint64_t full;
  uint32_t bar = (uint32_t)__cvta_generic_to_shared(&full), to = (uint32_t)__cvta_generic_to_shared(tile);
  tile[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" ::"r"(bar));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(&in), "r"(0), "r"(0), "r"(bar) : "memory");
  }
  uint32_t done = 0;
  while (!done)
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p;}" : "=r"(done) : "r"(bar) : "memory");
  if (tile[0] == 0) __syncthreads();
  sum[threadIdx.x] = tile[threadIdx.x]; // want warning: FP720 "no barrier is between them"
  if (tile[0] == 0) __syncthreads();
  out[threadIdx.x] = sum[127 - threadIdx.x];
}
