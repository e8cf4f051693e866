// Volatile orders nothing.
// expect: stale
__global__ void pass_on(float* tile, volatile int* ready, float* out) {
  const int tid = threadIdx.x;
  if (blockIdx.x == 0) {
    tile[tid] = 2.0f * tid;
    __syncthreads();
    if (tid == 0) {
      *ready = 1;  // want FP304
    }
  } else {
    if (tid == 0) {
      while (*ready == 0) {
      }
      __threadfence();
    }
    __syncthreads();
    out[tid] = tile[tid];
  }
}
