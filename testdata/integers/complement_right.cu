// A mask of low bits by shifting ones without a sign: ~0u >> 26 is 63, where ~0 >> 26 is -1.
// expect: holds
// small: -
__global__ void __launch_bounds__(128) complement(float* out, const float* in) {
  __shared__ float row[64];
  if (threadIdx.x <= (~0u >> 26)) {
    row[threadIdx.x] = in[threadIdx.x];
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[threadIdx.x] = row[threadIdx.x ^ 32];
  }
}

void run(float* out, const float* in) { complement<<<1, 128>>>(out, in); }
