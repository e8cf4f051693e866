// A call for no value that is handed numbers alone sets them, as a rule: where a thread stores then is not known.
// expect: inconclusive
// small: -
__global__ void __launch_bounds__(128) scatter(const int* in, int* out) {
  __shared__ int grid[128];
  int x = 0, y = 0;
  split(threadIdx.x, x, y);
  grid[y * 16 + x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = grid[threadIdx.x];
}
