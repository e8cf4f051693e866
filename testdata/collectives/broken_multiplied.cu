// The matrices of multiplied.cu, but nobody waits for what other threads put down.
// expect: violated race
// small: -
#include <cstdint>

__device__ uint64_t matrix(const void* at) { return ((static_cast<uint64_t>(__cvta_generic_to_shared(at)) & 0x3ffff) >> 4) | 1ull << 16 | 64ull << 32 | 1ull << 62; }

__device__ void put(uint4* to, const uint4* from, int n) {
  for (int i = threadIdx.x; i < n; i += 128) to[i] = from[i];
}

__global__ void __launch_bounds__(128) products(const uint4* left, const uint4* right, float* out, int rounds) {
  __shared__ alignas(1024) uint4 a[512];
  __shared__ alignas(1024) uint4 b[64];
  float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int r = 0; r < rounds; ++r) {
    put(a, left + r * 512, 512);
    put(b, right + r * 64, 64);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]) : "l"(matrix(a)), "l"(matrix(b)));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) out[(blockIdx.x * 4 + i) * 128 + threadIdx.x] = sum[i];
}

void run(const uint4* left, const uint4* right, float* out, int rounds) { products<<<4, 128>>>(left, right, out, rounds); }
