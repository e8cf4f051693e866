// As staged.cu, without the barrier between the read and the copy that follows into the same stage.
// expect: inconclusive
// small: -
#include <cuda_pipeline.h>
__device__ int rows_of(const int* table);

__global__ void __launch_bounds__(128) turned(const float* in, const int* table, float* out) {
  __shared__ float stage[2][128];
  int rows = rows_of(table);
  __pipeline_memcpy_async(&stage[0][threadIdx.x], &in[threadIdx.x], 4);
  __pipeline_commit();
  float sum = 0.f;
  for (int k = 0; k < rows; k++) {
    if (k + 1 < rows) __pipeline_memcpy_async(&stage[(k + 1) & 1][threadIdx.x], &in[(k + 1) * 128 + threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += stage[k & 1][127 - threadIdx.x];
  }
  out[threadIdx.x] = sum;
}

void run(const float* in, const int* table, float* out) { turned<<<1, 128>>>(in, table, out); }
