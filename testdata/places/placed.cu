// Cells are made anew in their place by a placement new, which is not followed.
// expect: inconclusive
// small: -
#include <cuda_runtime.h>
#include <new>

constexpr int THREADS = 128;

__global__ void renew(const float* x, float* y) {
  __shared__ float s[THREADS];
  const int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  y[t] = s[THREADS - 1 - t];
  __syncthreads();
  new (&s[t]) float(1.f);
}

void run(const float* x, float* y) { renew<<<1, THREADS>>>(x, y); }
