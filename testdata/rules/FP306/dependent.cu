#include <cuda_runtime.h>

__global__ void scales(const float* in, float* out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = 2.0f * in[i];
  cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void adds(const float* in, float* out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] += in[i];  // want FP306 "no thread waits for the kernels before"
}

__global__ void adds_after(const float* in, float* out, int n) {
  cudaGridDependencySynchronize();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] += in[i];
}

__global__ void adds_in_turn(const float* in, float* out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] += in[i];
}

__global__ void chosen(const float* in, float* out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] -= in[i];
}

__global__ void chosen_early(const float* in, float* out, int n) {
  cudaGridDependencySynchronize();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] -= in[i];
}

void run_either(const float* in, float* out, int n, bool early_too, cudaStream_t stream) {
  auto kernel = early_too ? chosen_early : chosen;
  if (early_too) {
    cudaLaunchAttribute early[1];
    early[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early[0].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(128);
    config.stream = stream;
    config.attrs = early;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, kernel, in, out, n);
  } else {
    kernel<<<1, 128, 0, stream>>>(in, out, n);
  }
}

void run(const float* in, float* out, int n, cudaStream_t stream) {
  scales<<<1, 128, 0, stream>>>(in, out, n);
  cudaLaunchAttribute early[1];
  early[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early[0].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(128);
  config.stream = stream;
  config.attrs = early;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, adds, in, out, n);
  cudaLaunchKernelEx(&config, adds_after, in, out, n);
  early[0].val.programmaticStreamSerializationAllowed = 0;
  cudaLaunchKernelEx(&config, adds_in_turn, in, out, n);
}
