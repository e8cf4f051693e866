// A row is loaded behind the next address that is a multiple of 128, which is computed of a number; its sums lie behind it, and neighbours are read while they are written.
// expect: violated race
// small: -
#include <cuda.h>
#include <cstdint>
constexpr uintptr_t boundary = 128;
__device__ void load(uint64_t* to, const CUtensorMap* map, int x, int y, uint64_t* bar) {
  uint32_t at = __cvta_generic_to_shared(to), full = __cvta_generic_to_shared(bar);
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(at), "l"(map), "r"(x), "r"(y), "r"(full) : "memory");
}
__device__ void wait(uint64_t* bar, uint32_t parity) {
  uint32_t done = 0, full = __cvta_generic_to_shared(bar);
  while (!done)
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p;}" : "=r"(done) : "r"(full), "r"(parity) : "memory");
}
__global__ void __launch_bounds__(64) halves(const __grid_constant__ CUtensorMap map, float* out) {
  extern __shared__ unsigned char raw[];
  uintptr_t from = reinterpret_cast<uintptr_t>(raw);
  uintptr_t at = (from + boundary - 1) & ~(boundary - 1);
  float* row = reinterpret_cast<float*>(at);
  float* sums = reinterpret_cast<float*>(at + 128 * sizeof(float));
  __shared__ alignas(8) uint64_t full;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"((uint32_t)__cvta_generic_to_shared(&full)));
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    load(reinterpret_cast<uint64_t*>(row), &map, 0, blockIdx.x, &full);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((uint32_t)__cvta_generic_to_shared(&full)), "r"(512));
  }
  wait(&full, 0);
  sums[threadIdx.x] = row[threadIdx.x] + row[threadIdx.x + 64];
  out[blockIdx.x * 64 + threadIdx.x] = sums[threadIdx.x] - sums[63 - threadIdx.x];
}
int main() {
  CUtensorMap map{};
  float* out = nullptr;
  halves<<<16, 64, 1024>>>(map, out);
}
