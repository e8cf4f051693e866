// A macro is what it is where it is used: two stages, though other lines say one.
// expect: holds
// small: -
#include <cuda_runtime.h>

#define DEPTH 1
#undef DEPTH
#define DEPTH 2
#define SPARE 0
#define STAGES (2 + SPARE)

__global__ void mirror(const float* a, float* b, int n) {
  __shared__ float s[DEPTH][64];
  for (int i = 0; i < n; i++) {
    s[i % STAGES][threadIdx.x] = a[i * 64 + threadIdx.x];
    __syncthreads();
    b[i * 64 + threadIdx.x] = s[i % DEPTH][63 - threadIdx.x];
  }
}

#pragma push_macro("DEPTH")
#undef DEPTH
#define DEPTH 1
__device__ int elsewhere(int i) { return i % DEPTH; }
#pragma pop_macro("DEPTH")

#undef SPARE

void launch(const float* a, float* b, int n) { mirror<<<DEPTH - 1, 64>>>(a, b, n); }
