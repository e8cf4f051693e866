// As broken_moved.cu, with the barrier before the next row.
// expect: inconclusive
// small: -
template <typename From, typename To>
__global__ void __launch_bounds__(128) turn(From from, To to, int rows) {
  __shared__ float row[128];
  float own[2];
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    from.template fetch<2>(own, r, threadIdx.x);
    row[threadIdx.x] = own[0] + own[1];
    __syncthreads();
    own[0] = row[127 - threadIdx.x];
    to.template keep<2>(own, r, threadIdx.x);
    __syncthreads();
  }
}
