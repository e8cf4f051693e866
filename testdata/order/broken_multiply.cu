// As multiply.cu, but nobody executes a proxy fence: the multiplication may read what the tile held before.
// expect: inconclusive
// small: -
#include <cstdint>

constexpr int THREADS = 128;

__device__ __forceinline__ uint64_t descriptor(const void* p) {
  return (static_cast<uint64_t>(__cvta_generic_to_shared(p)) & 0x3ffff) >> 4 | uint64_t(1) << 62;
}

__global__ void product(const float* in, float* out) {
  __shared__ alignas(1024) float tile[5 * THREADS];
  for (int i = 0; i < 5; ++i) {
    tile[i * THREADS + threadIdx.x] = in[i * THREADS + threadIdx.x];
  }
  __syncthreads();
  float d[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%0, %1, %2, %3}, %4, %5, 1, 1, 1;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "l"(descriptor(tile)), "l"(descriptor(tile + 64 * 8)));
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  out[blockIdx.x * THREADS + threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

void run(const float* in, float* out, int n) { product<<<n, THREADS>>>(in, out); }
