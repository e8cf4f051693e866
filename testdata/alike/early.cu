// Warps find in shared memory what one thread writes between, with a barrier before it and behind it: each finds the same both times.
// expect: holds open=race-grid
// small: -
#include <cuda_pipeline.h>

__global__ void twice(const float* in, float* out) {
  __shared__ float row[256];
  __pipeline_memcpy_async(&row[threadIdx.x], &in[blockIdx.x * 256 + threadIdx.x], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  float before = row[0];
  __syncthreads();
  if (threadIdx.x == 0) row[0] = 1;
  __syncthreads();
  out[blockIdx.x] = before + row[0];
}

void launch(const float* in, float* out) { twice<<<64, 256>>>(in, out); }
