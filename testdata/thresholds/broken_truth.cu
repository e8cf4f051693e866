// A number that is asked for zero decides whether the threads meet: of one number they do not.
// expect: violated race
// small: -
#include <cuda_runtime.h>

__global__ void kernel(const float* a, float* b, int n) {
  __shared__ float s[128];
  s[threadIdx.x] = a[threadIdx.x];
  if (n ^ 21) __syncthreads();
  b[threadIdx.x] = s[127 - threadIdx.x];  // want FP720
}

void run(const float* a, float* b, int n) { kernel<<<1, 128>>>(a, b, n); }
