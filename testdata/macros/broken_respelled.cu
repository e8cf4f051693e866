// As respelled.cu, where there is one stage.
// expect: inconclusive
// reason: call of stage by its tokens
// small: -
#include <cuda_runtime.h>

#define DEPTH 2
#define stage(i) ((i) % DEPTH)
#undef DEPTH
#define DEPTH 1

__global__ void mirror(const float* a, float* b, int n) {
  __shared__ float s[DEPTH][64];
  for (int i = 0; i < n; i++) {
    s[stage(i)][threadIdx.x] = a[i * 64 + threadIdx.x];
    __syncthreads();
    b[i * 64 + threadIdx.x] = s[stage(i)][63 - threadIdx.x];
  }
}

void launch(const float* a, float* b, int n) { mirror<<<1, 64>>>(a, b, n); }
