// How many threads there are is a constant of what is there only where a name is defined that no file defines: that is taken to be so, and said.
// expect: holds open=race-grid
// small: -
#ifdef WITH_ROWS
constexpr int rows = 4;
constexpr int threads = rows * 32;
#endif

__global__ void __launch_bounds__(threads) mirror(const float* in, float* out) {
  __shared__ float tile[threads];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threads - 1 - threadIdx.x];
}
