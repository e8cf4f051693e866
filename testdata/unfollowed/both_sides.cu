// Some warps call one function that is not here, the others another one: the first may tell what the second waits for.
// expect: inconclusive
// small: -
__global__ void __launch_bounds__(64) turn(const float* in, float* out) {
  __shared__ float row[32];
  int i = threadIdx.x;
  if (i < 32) {
    row[i] = in[i];
    tell(1);
  } else {
    await(1);
    out[i] = row[i - 32];
  }
}
