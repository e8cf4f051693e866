// As store.cu, but the fence stands ahead of the writes that it is for.
// expect: holds
// litmus: violated
// small: -
#include <cstdint>

constexpr int THREADS = 128;

__device__ __forceinline__ uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ __forceinline__ void send(float* to, const float* from, uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)), "r"(bytes) : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

__global__ void fill(float* out, float value) {
  __shared__ alignas(128) float tile[THREADS];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  tile[threadIdx.x] = value * threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    send(out + blockIdx.x * THREADS, tile, sizeof(tile));
  }
}

void run(float* out, float value, int n) { fill<<<n, THREADS>>>(out, value); }
