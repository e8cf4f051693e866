// One thread per warp takes the warp's sum and leaves its own in the same place: which threads these are is said by a floating-point quotient.
// expect: holds open=race-grid
// small: -
__global__ void swap_sums(const float* in, float* out) {
  __shared__ float sums[32];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float v = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int m = 16; m > 0; m >>= 1) {
    v += __shfl_xor_sync(0xffffffff, v, m);
  }
  if (lane == 0) {
    sums[warp] = v;
  }
  __syncthreads();
  float all = threadIdx.x < (blockDim.x / 32.f) ? sums[lane] : 0.f;
  if (threadIdx.x < (int)ceilf(blockDim.x * 0.03125f)) {
    sums[lane] = all + v;
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sums[warp];
}

void run(const float* in, float* out, int rows) { swap_sums<<<rows, 256>>>(in, out); }
