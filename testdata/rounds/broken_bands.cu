// As in bands.cu: the next band comes over this one while it is read.
// expect: violated race
// small: -

__global__ void bands(const int* in, int* out, int width) {
  __shared__ int band[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  for (int k = 0; k < width / blockDim.x; k++) {
    int low = width - (k + 1) * 16;
    for (int row = low + 15 - y; row >= low; row -= blockDim.y) band[row - low][x] = in[row * width + x];
    __syncthreads();
    if (y == 0)
      for (int i = 0; i < 16; i++) out[(k * 16 + i) * width + x] = band[x][i];  // want FP720
  }
}

void run(const int* in, int* out, int width) { bands<<<1, dim3(16, 4)>>>(in, out, width); }
