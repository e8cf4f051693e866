// A CTA turns bands of a matrix that is as wide as it is given: how many bands there are follows from the width, and each is in the buffer from its own lowest row on. With one band no
// part of the buffer is written again.
// expect: holds
// small: -

__global__ void bands(const int* in, int* out, int width) {
  __shared__ int band[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  for (int k = 0; k < width / blockDim.x; k++) {
    int low = width - (k + 1) * 16;
    for (int row = low + 15 - y; row >= low; row -= blockDim.y) band[row - low][x] = in[row * width + x];
    __syncthreads();
    if (y == 0)
      for (int i = 0; i < 16; i++) out[(k * 16 + i) * width + x] = band[x][i];
    __syncthreads();
  }
}

void run(const int* in, int* out, int width) { bands<<<1, dim3(16, 4)>>>(in, out, width); }
