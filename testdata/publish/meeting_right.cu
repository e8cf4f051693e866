// All CTAs meet at a counter, then each reads what its neighbour wrote.
// expect: silent
__global__ void two_phases(float* field, unsigned* arrived, float* out) {
  const int tid = threadIdx.x;
  const int me = blockIdx.x * blockDim.x + tid;
  field[me] = 1.0f * tid;
  __syncthreads();
  if (tid == 0) {
    __threadfence();
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
  out[me] = field[me + 1];
}
