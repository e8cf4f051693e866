// HIP's macro launches it, with blocks of two warps: the lanes of each meet, and no others.
// expect: violated race
// small: -
#include <hip/hip_runtime.h>

template <typename T>
__global__ void mirror(const T* in, T* out, int n) {
  __shared__ T s[64];
  s[threadIdx.x] = in[threadIdx.x];  // want FP720
  __syncwarp();
  out[threadIdx.x] = s[63 - threadIdx.x] + n;
}

void launch(const float* in, float* out, hipStream_t stream) { hipLaunchKernelGGL((mirror<float>), dim3(1), dim3(64), 0, stream, in, out, 5); }
