// HIP's macro launches it, with blocks of one warp: its lanes meet.
// expect: holds
// small: -
#include <hip/hip_runtime.h>

template <typename T>
__global__ void mirror(const T* in, T* out, int n) {
  __shared__ T s[32];
  s[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  out[threadIdx.x] = s[31 - threadIdx.x] + n;
}

void launch(const float* in, float* out, hipStream_t stream) { hipLaunchKernelGGL((mirror<float>), dim3(1), dim3(32), 0, stream, in, out, 5); }
