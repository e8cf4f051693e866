// Two kernels let others start early and wait for nobody: both may be the first of a chain.
#include <cuda_runtime.h>

__global__ void first(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x];
  cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void other(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x] * 2;
  cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void second(const float* in, float* out) {
  cudaGridDependencySynchronize();
  out[threadIdx.x] = in[threadIdx.x] * 3;
  cudaTriggerProgrammaticLaunchCompletion();
}
