// A macro without parameters is the barrier.
// expect: holds
// by: order
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;
#define MEET __syncthreads()

__global__ void mirror(const float* in, float* out) {
  __shared__ float tile[THREADS];
  tile[threadIdx.x] = in[threadIdx.x];
  MEET;
  out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
}

void run(const float* in, float* out) { mirror<<<1, THREADS>>>(in, out); }
