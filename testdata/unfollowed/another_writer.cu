// The kernel writes the word itself: what the call does with it is not known, it may read it.
// expect: inconclusive
// small: -
__global__ void __launch_bounds__(128) rows(const int* offsets, const float* in, float* out, int n) {
  __shared__ int found[1];
  for (int row = blockIdx.x; row < n; row += gridDim.x) {
    if (threadIdx.x == 0) found[0] = offsets[row];
    __syncthreads();
    if (threadIdx.x == 0) note_down(found, row);
    out[row * 128 + threadIdx.x] = in[found[0]];
    __syncthreads();
  }
}
