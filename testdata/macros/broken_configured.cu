// Whether the threads meet is up to a header that is not at hand.
// expect: inconclusive
// reason: MEET decides here
// small: -
#include "config.h"

__global__ void __launch_bounds__(64) mirror(const float* in, float* out) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
#ifdef MEET
  __syncthreads();
#endif
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

void run(const float* in, float* out) { mirror<<<1, 64>>>(in, out); }
