// Thread 0 takes the ticket before the others have written.
// expect: stale
__global__ void total_of(const float* in, float* partial, unsigned* finished, float* total) {
  __shared__ bool last;
  const int tid = threadIdx.x;
  partial[blockIdx.x * blockDim.x + tid] = in[blockIdx.x * blockDim.x + tid];
  if (tid == 0) {
    __threadfence();
    unsigned ticket = atomicAdd(finished, 1);  // want FP305
    last = ticket == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last) {
    float sum = 0.0f;
    for (int b = 0; b < gridDim.x; ++b) {
      sum += partial[b * blockDim.x + tid];
    }
    total[tid] = sum;
  }
}
