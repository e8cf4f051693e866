// As halves.cu, but only one of the two types of 16 bits has the barrier.
// expect: violated race
// small: -
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

template <typename T>
__global__ void reverse(T* out, const T* in) {
  __shared__ T tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  if constexpr (std::is_same_v<T, __half>) __syncthreads();
  out[threadIdx.x] = tile[std::is_same_v<T, half> || !std::is_same_v<T, float> ? 63 - threadIdx.x : threadIdx.x];
}

void run(half* h, __nv_bfloat16* b, float* f) {
  reverse<half><<<1, 64>>>(h, h + 64);
  reverse<nv_bfloat16><<<1, 64>>>(b, b + 64);
  reverse<float><<<1, 64>>>(f, f + 64);
}
