// As unread.cu, where nobody waits: that is not shown either.
// expect: inconclusive
// small: -
#include <cuda_runtime.h>
#include <type_traits>

template <class T> __device__ void meet(T) {
  if constexpr (std::is_trivially_copyable_v<T>) {
  } else {
    __syncthreads();
  }
}

__global__ void mirror(const float* a, float* b) {
  __shared__ float s[64];
  s[threadIdx.x] = a[threadIdx.x];
  meet(1.0f);
  b[threadIdx.x] = s[63 - threadIdx.x];
}

void launch(const float* a, float* b) { mirror<<<1, 64>>>(a, b); }
