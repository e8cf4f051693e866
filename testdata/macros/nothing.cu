// A macro that is empty stands as a statement.
// expect: holds
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;
#define DONE

__global__ void mirror(const float* in, float* out) {
  __shared__ float tile[THREADS];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
  DONE;
}

void run(const float* in, float* out) { mirror<<<1, THREADS>>>(in, out); }
