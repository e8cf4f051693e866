// Each warp finds what is its own in what all have copied to shared memory, and all write to one place.
// expect: violated race
// small: -
#include <cuda_pipeline.h>

__global__ void first_of(const float* in, float* out) {
  __shared__ float row[256];
  __pipeline_memcpy_async(&row[threadIdx.x], &in[blockIdx.x * 256 + threadIdx.x], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[blockIdx.x] = row[threadIdx.x & 96] + row[255];  // want FP720
}

void launch(const float* in, float* out) { first_of<<<64, 256>>>(in, out); }
