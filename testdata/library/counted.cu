// How many threads arrive is an argument of the kernel: of all numbers it is right for one, which the text does not say.
// expect: inconclusive
// small: -

#include <cuda/barrier>

__global__ void __launch_bounds__(128) halves(const float* in, float* out, int arrivals) {
  __shared__ cuda::barrier<cuda::thread_scope_block> full;
  __shared__ float s[64];
  if (threadIdx.x == 0) init(&full, arrivals);
  __syncthreads();
  if (threadIdx.x < 64) {
    s[threadIdx.x] = in[threadIdx.x];
    full.arrive_and_wait();
    out[threadIdx.x] = s[63 - threadIdx.x];
  }
}
