// Lanes hand values to each other through shared memory, and meet behind the shuffle that stands between: __syncwarp orders memory.
// expect: holds open=race-grid
// small: -

__global__ void __launch_bounds__(128) mirrored(const float* in, float* out) {
  __shared__ float s[128];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float v = in[threadIdx.x];
  s[threadIdx.x] = v;
  float least = v;
  for (int o = 16; o > 0; o /= 2) least = fminf(least, __shfl_xor_sync(0xffffffff, least, o));
  __syncwarp();
  out[threadIdx.x] = s[warp * 32 + 31 - lane] - least;
}
