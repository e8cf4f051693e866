// As in operation.cu: a level of the tree begins before the one above it has ended.
// expect: violated race
// small: -

template <class Operation> __global__ void __launch_bounds__(256) reduce_columns(const float* in, float* out, Operation combine, float zero, int rows) {
  __shared__ float partial[256];
  float value = zero;
  for (int r = threadIdx.x; r < rows; r += 256) value = combine(value, in[r * gridDim.x + blockIdx.x]);
  partial[threadIdx.x] = value;
  __syncthreads();
  for (int width = 128; width > 0; width /= 2) {
    if (threadIdx.x < width) partial[threadIdx.x] = combine(partial[threadIdx.x], partial[threadIdx.x + width]);  // want FP720
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}
