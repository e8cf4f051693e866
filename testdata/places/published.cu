// A flag is published through the pointer itself, under a condition that one thread meets.
// expect: holds
// small: -
#include <cuda_runtime.h>

__global__ void hand_over(const float* in, float* out, int* ready) {
  if (blockIdx.x == 0) {
    out[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      *(volatile int*)ready = 1;
    }
  } else {
    if (threadIdx.x == 0) {
      while (*(volatile int*)ready == 0) {
      }
      __threadfence();
    }
    __syncthreads();
    out[128 + threadIdx.x] = out[127 - threadIdx.x];
  }
}

void run(const float* in, float* out, int* ready) {
  void* args[] = {&in, &out, &ready};
  cudaLaunchCooperativeKernel((void*)hand_over, dim3(2), dim3(128), args, 0, 0);
}
