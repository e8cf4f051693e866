// As nested_case.cu, where the case takes the step back that is made ahead of the switch.
// expect: inconclusive
// reason: switch with a case label within another statement
// small: -
#include <cuda_runtime.h>

__global__ void mirror(const float* a, float* b, int n) {
  __shared__ float s[2][64];
  int stage = 0;
  for (int i = 0; i < n; i++) {
    s[stage][threadIdx.x] = a[i * 64 + threadIdx.x];
    __syncthreads();
    b[i * 64 + threadIdx.x] = s[stage][63 - threadIdx.x];
    stage ^= 1;
    switch (1) {
      case 0: {
        stage = 0;
        case 1: stage ^= 1;
      }
    }
  }
}

void launch(const float* a, float* b, int n) { mirror<<<1, 64>>>(a, b, n); }
