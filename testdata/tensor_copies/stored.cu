// A tile is stored when all have written it, and written again when its store has read it.
// expect: inconclusive
// small: -
#include <cuda.h>
#include <cstdint>
__device__ void store(const CUtensorMap* map, int x, int y, const void* from) {
  uint32_t at = (uint32_t)__cvta_generic_to_shared(from);
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x), "r"(y), "r"(at) : "memory");
}
__global__ void __launch_bounds__(128) rows(const float* in, const __grid_constant__ CUtensorMap out, int pitch) {
  __shared__ alignas(128) float tile[8][128];
  for (int step = 0; step < 4; step++) {
    for (int r = 0; r < 8; r++) tile[r][threadIdx.x] = in[(step * 8 + r) * pitch + threadIdx.x];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      store(&out, 0, step * 8, tile);
      asm volatile("cp.async.bulk.commit_group;");
      asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    __syncthreads();
  }
}
