// Each thread goes on by as many as there are threads: the kernel says so of its parameter.
// expect: holds
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void scale(float* x, int step) {
  __requires(step == blockDim.x);
  __shared__ float s[4 * THREADS];
  for (int i = threadIdx.x; i < 4 * THREADS; i += step) s[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < 4 * THREADS; i += step) x[i] = 2.0f * s[i];
}

void run(float* x, int step) { scale<<<1, THREADS>>>(x, step); }
