// A macro of a header that is not read stands as a statement.
// expect: inconclusive
// reason: FINISH stands as a statement
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;
#include "finish.h"

__global__ void mirror(const float* in, float* out) {
  __shared__ float tile[THREADS];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
  FINISH;
}

void run(const float* in, float* out) { mirror<<<1, THREADS>>>(in, out); }
