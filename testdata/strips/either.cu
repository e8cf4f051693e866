// The next strip is copied while one is read. Its last round, which copies none, waits for all that are left.
// expect: holds
// small: -
#include <cuda_pipeline.h>

__global__ void strips(const float* in, float* out, int count) {
  __shared__ float strip[2][64];
  const int t = threadIdx.x;
  float sum = 0.0f;
  __pipeline_memcpy_async(&strip[0][t], in + t, 4);
  __pipeline_commit();
  for (int k = 0; k < count; ++k) {
    if (k + 1 < count) {
      __pipeline_memcpy_async(&strip[(k + 1) % 2][t], in + (k + 1) * 64 + t, 4);
      __pipeline_commit();
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    sum += strip[k % 2][63 - t];
    __syncthreads();
  }
  out[t] = sum;
}

void launch(const float* in, float* out, int count) { strips<<<1, 64>>>(in, out, count); }
