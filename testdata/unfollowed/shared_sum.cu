// What is called is not here, and is handed what each thread has read: they may add these up, and meet there.
// expect: inconclusive
// small: -
__global__ void __launch_bounds__(128) turn(const int* in, int* out) {
  __shared__ int row[128];
  int i = threadIdx.x;
  row[i] = in[i];
  int all = total_of(in[i]);
  out[i] = row[i ^ 32] + all;
}
