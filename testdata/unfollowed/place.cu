// As broken_place.cu, with the barrier.
// expect: inconclusive
// small: -
__global__ void __launch_bounds__(128) turn(const int* in, int* out) {
  __shared__ int row[128];
  int i = threadIdx.x;
  row[i] = in[i];
  __syncthreads();
  int to = next_multiple(i, 4);
  out[to] = row[i ^ 32];
}
