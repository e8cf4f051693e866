// Another thread than the one that counts has the fence.
// expect: stale
__global__ void rows_then_sum(float* rows, int* done, float* out, int producers) {
  const int tid = threadIdx.x;
  if (blockIdx.x < producers) {
    rows[blockIdx.x * blockDim.x + tid] = 1.0f * tid;
    __syncthreads();
    if (tid == 32) {
      __threadfence();
    }
    if (tid == 0) {
      atomicAdd(done, 1);  // want FP304
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
