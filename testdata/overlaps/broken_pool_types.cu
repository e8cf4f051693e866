// Two names of the memory whose size the launch says have different types.
// expect: violated race
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void mirror(const float* in, float* out) {
  extern __shared__ float tile[];
  extern __shared__ int counts[];
  tile[threadIdx.x] = in[threadIdx.x];
  counts[THREADS - 1 - threadIdx.x] = 1;
}

void run(const float* in, float* out) { mirror<<<1, THREADS, THREADS * sizeof(float)>>>(in, out); }
