// The fence before the signal reaches its own GPU only.
// expect: stale
__global__ void to_peers(float* const* inbox, unsigned* const* signals, float* out, int rank, int ranks) {
  const int tid = threadIdx.x;
  inbox[rank + 1][tid] = 4.0f;
  __syncthreads();
  if (tid == 0) {
    __threadfence();  // want FP302
    atomicAdd_system(signals[rank + 1], 1);
    while (atomicAdd_system(signals[rank], 0) < ranks) {
    }
    __threadfence_system();
  }
  __syncthreads();
  out[tid] = inbox[rank][tid];
}
