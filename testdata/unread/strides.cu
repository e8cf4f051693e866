// The head of the loop is a macro of a header that is not there.
// expect: inconclusive
// small: -
#include "absent/loops.h"

__global__ void pass(float* out, const float* in, int n) {
  __shared__ float s[128];
  STRIDES(i, n) {
    s[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = s[127 - threadIdx.x];
    __syncthreads();
  }
}

void launch(float* out, const float* in, int n) { pass<<<64, 128>>>(out, in, n); }
