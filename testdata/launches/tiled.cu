// What a tile is like a class says, an object of which chooses the kernel: nothing else is in it.
// expect: holds open=race-grid
// small: -
template <int R, int C> struct Tile {
  static constexpr int rows = R, columns = C;
  static constexpr int threads = R * C;
};
template <typename T> __global__ void mirrored(const float* in, float* out) {
  __shared__ float tile[T::rows][T::columns];
  int r = threadIdx.x / T::columns, c = threadIdx.x % T::columns;
  tile[r][c] = in[blockIdx.x * T::threads + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T::threads + threadIdx.x] = tile[r][T::columns - 1 - c];
}

template <typename F> void of_size(int n, F f) {
  if (n < 4096) f(Tile<4, 16>{});
  else f(Tile<4, 64>{});
}

void run(const float* in, float* out, int n) {
  of_size(n, [&](auto tile) { mirrored<decltype(tile)><<<n / decltype(tile)::threads, decltype(tile)::threads>>>(in, out); });
}
