// A grid that may start before the one before it has ended reads global memory before it waits for that one: whether that one writes it is not known here.
// expect: holds open=order,race-grid
// small: -

__global__ void __launch_bounds__(128) scaled(const float* scale, const float* in, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  float by = scale[threadIdx.x];
  cudaGridDependencySynchronize();
  out[i] = in[i] * by;
}
