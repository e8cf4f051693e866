// The host says how many threads a row has, and not how many rows; all of them write before one thread reads.
// expect: holds open=race
// small: -

__global__ void rowSums(const float* in, float* out, int width) {
  extern __shared__ float part[];
  float v = 0;
  for (int i = threadIdx.x + 32 * threadIdx.y; i < width; i += 32 * blockDim.y) v += in[i];
  for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffffu, v, o);
  if (threadIdx.x == 0) part[threadIdx.y] = v;
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    float all = 0;
    for (int i = 0; i < blockDim.y; i++) all += part[i];
    out[0] = all;
  }
}

void launch(const float* in, float* out, int width, int rows) {
  dim3 block(32, rows);
  rowSums<<<1, block, rows * sizeof(float)>>>(in, out, width);
}
