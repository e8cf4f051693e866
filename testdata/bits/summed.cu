// The first summand is a name in parentheses, as macros leave it, and no cast: the two halves are apart.
// expect: holds open=race-grid
// small: -
__global__ void __launch_bounds__(64) halves(const float* in, float* out) {
  __shared__ float row[128];
  const int half = 64;
  row[((half) + (threadIdx.x + 0) * 1)] = in[threadIdx.x];
  row[63 - threadIdx.x] = in[threadIdx.x + 64];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = row[threadIdx.x] + row[127 - threadIdx.x];
}
