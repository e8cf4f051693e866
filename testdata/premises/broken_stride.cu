// As right_stride.cu, and the premise is of another number: threads write what others do.
// expect: violated race
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void scale(float* x, int step) {
  __requires(2 * step == blockDim.x);
  __shared__ float s[4 * THREADS];
  for (int i = threadIdx.x; i < 4 * THREADS; i += step) s[i] = x[i] + threadIdx.x;
  __syncthreads();
  for (int i = threadIdx.x; i < 4 * THREADS; i += step) x[i] = 2.0f * s[i];
}

void run(float* x, int step) { scale<<<1, THREADS>>>(x, step); }
