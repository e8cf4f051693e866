// Which of two functions is called is decided by a type that is not known here.
// expect: violated race
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;
__device__ void meet(float) { __syncwarp(); }
__device__ void meet(int) { __syncthreads(); }

__global__ void mirror(const float* in, float* out, float limit) {
  __shared__ float tile[THREADS];
  tile[threadIdx.x] = in[threadIdx.x];
  meet(limit * 2);
  out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
}

void run(const float* in, float* out, float limit) { mirror<<<1, THREADS>>>(in, out, limit); }
