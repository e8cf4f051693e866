// The complement with a sign: -1 becomes the largest number beside an index without one, so that all warps come.
// expect: violated deadlock
// small: -
__global__ void __launch_bounds__(128) complement(float* out, const float* in) {
  __shared__ float row[128];
  if (threadIdx.x <= (~0 >> 26)) {
    row[threadIdx.x] = in[threadIdx.x];
    asm volatile("bar.sync 1, 64;" ::: "memory");  // want FP408
    out[threadIdx.x] = row[threadIdx.x ^ 64];
  }
}

void run(float* out, const float* in) { complement<<<1, 128>>>(out, in); }
