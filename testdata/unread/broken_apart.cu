// Elements of a member, and those of another one behind a barrier.
// expect: violated race
// small: -
#include "absent/state.h"

template <class Kind>
__global__ void shift(float* out, const float* in) {
  __shared__ typename Kind::Rows rows;
  rows.now[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  rows.then[threadIdx.x] = rows.now[blockDim.x - 1 - threadIdx.x];
  out[threadIdx.x] = rows.then[blockDim.x - 1 - threadIdx.x]; // want FP720
}

void launch(float* out, const float* in) { shift<Forward><<<1, 128>>>(out, in); }
