// Each thread of a CTA brings its float4 of every strip by cp.async, with groups of its own and three strips in flight, and
// works on the float4 that its neighbour brought.
// expect: holds
// small: -
#include <cstdint>

constexpr int kStages = 3;
constexpr int kThreads = 64;

__device__ void bring(float4* to, const float4* from) {
  uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
}

__device__ void close_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int kLeft>
__device__ void await_groups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
}

__global__ void strips(const float4* in, float4* out, int count) {
  __shared__ float4 stages[kStages][kThreads];
  int me = threadIdx.x;
  int next = (me + 1) % kThreads;
  for (int k = 0; k < kStages - 1; ++k) {
    if (k < count) bring(&stages[k][me], in + k * kThreads + me);
    close_group();
  }
  for (int k = 0; k < count; ++k) {
    await_groups<kStages - 2>();
    __syncthreads();
    int ahead = k + kStages - 1;
    if (ahead < count) bring(&stages[ahead % kStages][me], in + ahead * kThreads + me);
    close_group();
    out[k * kThreads + me] = stages[k % kStages][next];
  }
}

void run(const float4* in, float4* out, int count) { strips<<<1, kThreads>>>(in, out, count); }
