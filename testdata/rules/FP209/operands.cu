// Threads write the operands of a multiplication themselves: with all the fences that it needs, with none for the other proxy, with none of wgmma, and with
// operands that a copy brings while the threads write something else.
#include <cstdint>

struct alignas(1024) Operands {
  uint32_t left[64 * 32];
  uint32_t right[8 * 32];
};

__device__ uint64_t described(const void* at) {
  return (uint64_t)(((uint32_t)__cvta_generic_to_shared(at) & 0x3FFFF) >> 4) | (uint64_t)1 << 16 | (uint64_t)64 << 32 | (uint64_t)1 << 62;
}

__device__ void fill(uint32_t* to, const uint32_t* from, int n) {
  for (int i = threadIdx.x; i < n; i += 128) to[i] = from[i];
}

__device__ void start() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

__device__ void across() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

__device__ void finish() { asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory"); }

#define MULTIPLY(d, a, b) \
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b))

__global__ void __launch_bounds__(128) fenced(const uint32_t* a, const uint32_t* b, float* out) {
  __shared__ Operands s;
  float d[4] = {};
  fill(s.left, a, 64 * 32);
  fill(s.right, b, 8 * 32);
  across();
  __syncthreads();
  start();
  MULTIPLY(d, described(s.left), described(s.right));
  finish();
  out[blockIdx.x * 128 + threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

__global__ void __launch_bounds__(128) one_proxy(const uint32_t* a, const uint32_t* b, float* out) {
  __shared__ Operands s;
  float d[4] = {};
  for (int i = threadIdx.x; i < 64 * 32; i += 128) s.left[i] = a[i];  // want FP209 "no fence.proxy.async"
  fill(s.right, b, 8 * 32);
  __syncthreads();
  start();
  MULTIPLY(d, described(s.left), described(s.right));
  finish();
  out[blockIdx.x * 128 + threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

__global__ void __launch_bounds__(128) not_started(const uint32_t* a, const uint32_t* b, float* out) {
  __shared__ Operands s;
  float d[4] = {};
  fill(s.left, a, 64 * 32);
  fill(s.right, b, 8 * 32);
  across();
  __syncthreads();
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;"  // want FP209 "no wgmma.fence"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(described(s.left)), "l"(described(s.right)));
  finish();
  out[blockIdx.x * 128 + threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

__global__ void __launch_bounds__(128) copied(const uint32_t* a, float* out) {
  __shared__ Operands s;
  __shared__ uint64_t done;
  __shared__ float sums[128];
  const uint32_t bar = (uint32_t)__cvta_generic_to_shared(&done);
  float d[4] = {};
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(bar) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"((uint32_t)sizeof(Operands)) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((uint32_t)__cvta_generic_to_shared(&s)), "l"(a), "r"((uint32_t)sizeof(Operands)), "r"(bar) : "memory");
  }
  __syncthreads();
  uint32_t over = 0;
  while (!over) asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\nselp.b32 %0, 1, 0, p;\n}" : "=r"(over) : "r"(bar) : "memory");
  start();
  MULTIPLY(d, described(s.left), described(s.right));
  finish();
  sums[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = sums[127 - threadIdx.x];
}
