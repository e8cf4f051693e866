// Two names of the memory whose size the launch says are one address; only a warp meets between.
// expect: violated race
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__device__ float* half_of(int from) {
  extern __shared__ float pool[];
  return pool + from;
}

__global__ void mirror(const float* in, float* out) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  out[threadIdx.x] = half_of(0)[THREADS - 1 - threadIdx.x];
}

void run(const float* in, float* out) { mirror<<<1, THREADS, 2 * THREADS * sizeof(float)>>>(in, out); }
