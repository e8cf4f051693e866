// Only the thread that waited knows that all have arrived.
// expect: stale
__global__ void two_phases(float* field, unsigned* arrived, float* out) {
  const int tid = threadIdx.x;
  const int me = blockIdx.x * blockDim.x + tid;
  field[me] = 1.0f * tid;
  __syncthreads();
  if (tid == 0) {
    __threadfence();
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < gridDim.x) {  // want FP307
    }
    __threadfence();
  }
  out[me] = field[me + 1];
}
