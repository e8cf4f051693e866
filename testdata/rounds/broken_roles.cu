// How long lists are is read where the threads part: one warp fills a ring and never waits until a stage is free.
// expect: violated phase attribution
// small: -
#include <cuda/barrier>

using ring_barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void lists(const float* in, const int* length, float* out) {
  __shared__ float stage[2][32];
  __shared__ ring_barrier full[2], free[2];
  if (threadIdx.x < 2) {
    init(&full[threadIdx.x], 64);
    init(&free[threadIdx.x], 32);
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    for (int at = 0; at < length[blockIdx.x]; ++at) {
      full[at % 2].arrive_and_wait();  // want FP121
      out[at * 32 + threadIdx.x] = stage[at % 2][31 - threadIdx.x];
      (void)free[at % 2].arrive();
    }
  } else {
    for (int at = 0; at < length[blockIdx.x]; ++at) {
      stage[at % 2][threadIdx.x - 32] = in[at * 32 + threadIdx.x];
      (void)full[at % 2].arrive();
    }
  }
}

void run(const float* in, const int* length, float* out) { lists<<<8, 64>>>(in, length, out); }
