// As broken_wrapped.cu, with the barrier.
// expect: holds open=race-grid
// small: -
__global__ void __launch_bounds__(128) turn(const int* in, int* out) {
  __shared__ int row[128];
  auto twice = cuda::proclaim_return_type<int>([] __device__(int n) { return 2 * n; });
  row[threadIdx.x] = twice(in[threadIdx.x]);
  __syncthreads();
  out[threadIdx.x] = row[127 - threadIdx.x];
}
