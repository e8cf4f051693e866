// CTAs write a row each and count themselves; the last CTA waits for all, then sums. One thread speaks for its CTA.
// expect: silent
__global__ void rows_then_sum(float* rows, int* done, float* out, int producers) {
  const int tid = threadIdx.x;
  if (blockIdx.x < producers) {
    rows[blockIdx.x * blockDim.x + tid] = 1.0f * tid;
    __syncthreads();
    if (tid == 0) {
      __threadfence();
      atomicAdd(done, 1);
    }
  } else {
    if (tid == 0) {
      while (atomicAdd(done, 0) < producers) {
      }
      __threadfence();
    }
    __syncthreads();
    float total = 0.0f;
    for (int row = 0; row < producers; ++row) {
      total += rows[row * blockDim.x + tid];
    }
    out[tid] = total;
  }
}
