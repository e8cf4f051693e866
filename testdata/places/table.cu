// What is reached through an address that is itself read from memory is not followed.
// expect: inconclusive
// small: -
#include <cuda_runtime.h>

__global__ void mirror(const float* in, float* out, float** rows) {
  rows[1][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = rows[1][127 - threadIdx.x];
}

void run(const float* in, float* out, float** rows) { mirror<<<1, 128>>>(in, out, rows); }
