// As broken_only_writer.cu, and all have read before it is made again.
// expect: inconclusive
// small: -
__global__ void __launch_bounds__(128) rows(const int* offsets, const float* in, float* out, int n) {
  __shared__ int found[1];
  for (int row = blockIdx.x; row < n; row += gridDim.x) {
    __syncthreads();
    if (threadIdx.x == 0) search(found, offsets, row);
    __syncthreads();
    out[row * 128 + threadIdx.x] = in[found[0]];
  }
}
