// Variables of the GPU are memory: one of a namespace, one of a function, an array. Nothing orders their accesses.
// expect: violated race
// small: -
#include <cuda_runtime.h>

namespace state {
__device__ float scale;
}

__device__ float row[128];

__global__ void mirror(const float* in, float* out) {
  static float shift;
  const int tid = threadIdx.x;
  if (tid == 0) {
    state::scale = in[0];  // want FP720
    shift = in[1];  // want FP720
  }
  row[tid] = in[tid];
  out[tid] = row[127 - tid] * state::scale + shift;  // want FP720
}

void run(const float* in, float* out) { mirror<<<1, 128>>>(in, out); }
