// As redefined.cu, where there is one stage at the kernel and two on other lines.
// expect: violated race
// small: -
#include <cuda_runtime.h>

#define DEPTH 2
#undef DEPTH
#define DEPTH 1
#define SPARE 0
#define STAGES (1 + SPARE)

__global__ void mirror(const float* a, float* b, int n) {
  __shared__ float s[DEPTH][64];
  for (int i = 0; i < n; i++) {
    s[i % STAGES][threadIdx.x] = a[i * 64 + threadIdx.x];  // want FP720
    __syncthreads();
    b[i * 64 + threadIdx.x] = s[i % DEPTH][63 - threadIdx.x];
  }
}

#undef SPARE
#undef DEPTH
#define DEPTH 2

void launch(const float* a, float* b, int n) { mirror<<<DEPTH - 1, 64>>>(a, b, n); }
