// The arrival is relaxed.
// expect: stale
__global__ void two_phases(float* field, unsigned* arrived, float* out) {
  const int tid = threadIdx.x;
  const int me = blockIdx.x * blockDim.x + tid;
  field[me] = 1.0f * tid;
  __syncthreads();
  if (tid == 0) {
    atomicAdd(arrived, 1);  // want FP304
    while (atomicAdd(arrived, 0) < gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
  out[me] = field[me + 1];
}
