// Each CTA waits for the one before it, and reads the sum with no fence between.
// expect: violated order
// small: -

__global__ void __launch_bounds__(32) hurried(const float* in, float* sums, int* flags) {
  if (threadIdx.x == 0) {
    float before = 0.f;
    if (blockIdx.x != 0) {
      while (atomicAdd(&flags[blockIdx.x - 1], 0) < 1); // want FP303
      before = sums[blockIdx.x - 1];
    }
    sums[blockIdx.x] = before + in[blockIdx.x];
    __threadfence();
    atomicAdd(&flags[blockIdx.x], 1);
  }
}
