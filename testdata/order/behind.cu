// A grid that may start before the one before it has ended reads global memory behind its wait for that one.
// expect: holds open=race-grid
// small: -

__global__ void __launch_bounds__(128) scaled(const float* scale, const float* in, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  cudaGridDependencySynchronize();
  float by = scale[threadIdx.x];
  out[i] = in[i] * by;
}
