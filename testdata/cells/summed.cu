// What a thread adds to a sum in global memory is another thread's cell.
// expect: holds
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void add(const float* x, float* sum) {
  __shared__ float s[THREADS];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  atomicAdd(sum, s[THREADS - 1 - threadIdx.x]);
}

void run(const float* x, float* sum) { add<<<1, THREADS>>>(x, sum); }
