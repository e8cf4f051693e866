// Each CTA waits for the one before it, adds its own, and hands the sum on.
// expect: holds open=order
// small: -

__global__ void __launch_bounds__(32) chained(const float* in, float* sums, int* flags) {
  if (threadIdx.x == 0) {
    float before = 0.f;
    if (blockIdx.x != 0) {
      while (atomicAdd(&flags[blockIdx.x - 1], 0) < 1);
      __threadfence();
      before = sums[blockIdx.x - 1];
    }
    sums[blockIdx.x] = before + in[blockIdx.x];
    __threadfence();
    atomicAdd(&flags[blockIdx.x], 1);
  }
}
