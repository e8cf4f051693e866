// Of two functions of one name the one that takes one argument is called; it lets all threads meet.
// expect: holds
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;
__device__ void meet(int) { __syncthreads(); }
__device__ void meet(int, int) { __syncwarp(); }

__global__ void mirror(const float* in, float* out, float limit) {
  __shared__ float tile[THREADS];
  tile[threadIdx.x] = in[threadIdx.x];
  meet(1);
  out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
}

void run(const float* in, float* out, float limit) { mirror<<<1, THREADS>>>(in, out, limit); }
