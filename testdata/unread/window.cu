// A window of elements whose class is that of a header that is not there: what a call gives is assigned to.
// expect: inconclusive
// small: -
#include "absent/window.h"

__global__ void flip(float* out, const float* in) {
  __shared__ Window<float, 32, 32> w;
  w(threadIdx.y, threadIdx.x) = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = w(threadIdx.x, threadIdx.y);
}

void launch(float* out, const float* in) { flip<<<1, dim3(32, 32)>>>(out, in); }
