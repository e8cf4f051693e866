// Neither barriers nor fences.
// expect: stale
__global__ void nothing(float* rows, int* done, float* out) {
  const int tid = threadIdx.x;
  if (blockIdx.x == 0) {
    rows[tid] = 1.0f * tid;
    if (tid == 0) atomicAdd(done, 1);  // want FP305
  } else {
    if (tid == 0)
      while (atomicAdd(done, 0) == 0) {  // want FP307
      }
    out[tid] = rows[tid];
  }
}
