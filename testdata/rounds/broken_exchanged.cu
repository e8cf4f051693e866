// Nobody waits for the first thread's sum: a warp may be a round ahead and write what another one still reads.
// expect: violated race
// small: -

__device__ float volatile_read(const float* at) {
  float v;
  asm volatile("ld.volatile.global.f32 %0, [%1];" : "=f"(v) : "l"(at));
  return v;
}

__device__ float sum_of_block(float v) {
  __shared__ float sums[32];
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0.f;  // want FP720
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  return v;
}

__global__ void norm(const float* in, float* mine, const float* const* theirs, float* out, int rows) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float v = in[row * 1024 + threadIdx.x];
    float total = sum_of_block(v * v);
    if (threadIdx.x == 0) mine[row] = total;
    out[row * 1024 + threadIdx.x] = v * rsqrtf(total);
  }
}

void launch(const float* in, float* mine, const float* const* theirs, float* out, int rows) {
  norm<<<64, 1024>>>(in, mine, theirs, out, rows);
}
