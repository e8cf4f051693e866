// A macro without parameters clears what other threads still read.
// expect: violated race
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;
#define CLEAR tile[threadIdx.x] = 0.0f

__global__ void mirror(const float* in, float* out) {
  __shared__ float tile[THREADS];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
  CLEAR;
}

void run(const float* in, float* out) { mirror<<<1, THREADS>>>(in, out); }
