// What is called is not here, and is handed a place that follows from which thread it is: it gives another one, and orders nothing.
// expect: violated race
// small: -
__global__ void __launch_bounds__(128) turn(const int* in, int* out) {
  __shared__ int row[128];
  int i = threadIdx.x;
  row[i] = in[i];
  int to = next_multiple(i, 4);
  out[to] = row[i ^ 32];  // want FP720
}
