// What is called is not here, and is handed a flag of each thread: they may count these together, and meet there.
// expect: inconclusive
// small: -
__global__ void __launch_bounds__(128) turn(const int* in, int* out, int n) {
  __shared__ int row[128];
  int i = threadIdx.x;
  row[i] = in[i];
  int mine = i < n ? 1 : 0;
  int all = how_many(mine);
  out[i] = row[i ^ 32] + all;
}
