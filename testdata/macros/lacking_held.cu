// The barrier is among what a macro of a header that is not here is handed: whether threads come to it is not known.
// expect: inconclusive
// small: -
#include "conditions_of_others.h"

__global__ void __launch_bounds__(128) reversed(const float* in, float* out, int n) {
  __shared__ float row[128];
  row[threadIdx.x] = in[threadIdx.x];
  WHERE_WANTED(n, row[threadIdx.x] *= 2.0f; __syncthreads(););
  out[threadIdx.x] = row[127 - threadIdx.x];
}
