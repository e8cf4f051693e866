// Nothing but a call that is not followed writes the word: thread 0 makes it again while others still read.
// expect: violated race
// small: -
__global__ void __launch_bounds__(128) rows(const int* offsets, const float* in, float* out, int n) {
  __shared__ int found[1];
  for (int row = blockIdx.x; row < n; row += gridDim.x) {
    if (threadIdx.x == 0) search(found, offsets, row);  // want FP720
    __syncthreads();
    out[row * 128 + threadIdx.x] = in[found[0]];
  }
}
