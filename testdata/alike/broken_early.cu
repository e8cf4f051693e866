// Warps find in shared memory what one thread writes: half of them before it does, half of them behind it, and all write what they have found.
// expect: violated race
// small: -
#include <cuda_pipeline.h>

__global__ void twice(const float* in, float* out) {
  __shared__ float row[256];
  __pipeline_memcpy_async(&row[threadIdx.x], &in[blockIdx.x * 256 + threadIdx.x], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  float found = row[0];
  __syncthreads();
  if (threadIdx.x == 0) row[0] = 1;
  __syncthreads();
  if (threadIdx.x >= 128) found = row[0];
  out[blockIdx.x] = found;  // want FP720
}

void launch(const float* in, float* out) { twice<<<64, 256>>>(in, out); }
