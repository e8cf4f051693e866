// No launch is found: that kernels are of a chain is seen by what the others of the file do.
#include <cuda_runtime.h>

__global__ void first(const float* in, float* out) {
  cudaGridDependencySynchronize();
  out[threadIdx.x] = in[threadIdx.x];
  cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void second(const float* in, float* out) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  out[threadIdx.x] = in[threadIdx.x] * 2;
  asm volatile("griddepcontrol.launch_dependents;");
}

__global__ void third(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x] * 3;  // want FP306 "lets those behind it start early"
  cudaTriggerProgrammaticLaunchCompletion();
}

// One that lets nobody start early is of no chain.
__global__ void apart(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x] * 4; }
