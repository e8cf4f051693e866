// Lanes hand values to each other through shared memory, and exchange others by a shuffle between, which brings them together in time and orders no memory.
// expect: violated race
// small: -

__global__ void __launch_bounds__(128) mirrored(const float* in, float* out) {
  __shared__ float s[128];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float v = in[threadIdx.x];
  s[threadIdx.x] = v; // want FP720
  float least = v;
  for (int o = 16; o > 0; o /= 2) least = fminf(least, __shfl_xor_sync(0xffffffff, least, o));
  out[threadIdx.x] = s[warp * 32 + 31 - lane] - least;
}
