// What is called for no value is not here: handed a number of a group of warps, it may be where these meet.
// expect: inconclusive
// small: -
__global__ void __launch_bounds__(128) turn(const int* in, int* out) {
  __shared__ int row[128];
  int i = threadIdx.x;
  row[i] = in[i];
  meet_at(i / 64);
  out[i] = row[i ^ 32];
}
