// Two warps exchange their sums in every sixteenth round, with no barrier before the reads.
// expect: violated race
// small: -
__global__ void __launch_bounds__(64) steps(float* out, int n) {
  __shared__ float sums[64];
  float total = 0.0f;
  for (int i = 0; i < n; ++i) {
    total += 1.0f;
    if (i % 16 == 15) {
      sums[threadIdx.x] = total;
      total += sums[(threadIdx.x + 32) % 64];  // want FP720
      __syncthreads();
    }
  }
  out[threadIdx.x] = total;
}

void run(float* out, int n) { steps<<<1, 64>>>(out, n); }
