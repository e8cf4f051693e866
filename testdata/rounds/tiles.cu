// CTAs go on to other tiles where there are more of them than CTAs, which small numbers do not make so; a barrier ends each round.
// expect: holds open=race-grid
// small: -
template <typename T>
__global__ void turned(const T* in, T* out, int w, int h) {
  __shared__ T tile[16][17];
  const int across = (w + 15) / 16, down = (h + 15) / 16;
  for (int t = blockIdx.x; t < across * down; t += gridDim.x) {
    const int x = t % across * 16, y = t / across * 16;
    if (x + threadIdx.x < w && y + threadIdx.y < h) tile[threadIdx.y][threadIdx.x] = in[(size_t)(y + threadIdx.y) * w + x + threadIdx.x];
    __syncthreads();
    if (y + threadIdx.x < h && x + threadIdx.y < w) out[(size_t)(x + threadIdx.y) * h + y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
    __syncthreads();
  }
}

void run(const double* in, double* out, int w, int h) { turned<double><<<108, dim3(16, 16)>>>(in, out, w, h); }
