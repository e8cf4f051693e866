// Each CTA has a length of its own in memory: threads read it alike, and meet twice in each round.
// expect: holds open=race-grid
// small: -

__global__ void __launch_bounds__(128) sums(const float* in, float* out, const int* lengths) {
  __shared__ float s[128];
  int length = lengths[blockIdx.x];
  float v = 0;
  for (int i = 0; i < length; i++) {
    s[threadIdx.x] = in[i * 128 + threadIdx.x];
    __syncthreads();
    v += s[127 - threadIdx.x];
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = v;
}
