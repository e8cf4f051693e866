// A constant of a header that is not read is no choice of the launch: what goes wrong where it is false says nothing.
// expect: inconclusive
// small: -
#include <cuda_runtime.h>
#include <type_traits>

template <class T> __device__ void meet(T) {
  if constexpr (std::is_trivially_copyable_v<T>) __syncthreads();
}

__global__ void mirror(const float* a, float* b) {
  __shared__ float s[64];
  s[threadIdx.x] = a[threadIdx.x];
  meet(1.0f);
  b[threadIdx.x] = s[63 - threadIdx.x];
}

void launch(const float* a, float* b) { mirror<<<1, 64>>>(a, b); }
