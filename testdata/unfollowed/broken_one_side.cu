// Only the first warp calls what is not here: that cannot order it with the others.
// expect: violated race
// small: -
__global__ void __launch_bounds__(128) turn(const float* in, float* out) {
  __shared__ float row[128];
  int i = threadIdx.x;
  row[i] = in[i];
  if (i < 32) out[128 + i] = total_of(in[i]);
  out[i] = row[i ^ 64];  // want FP720
}
