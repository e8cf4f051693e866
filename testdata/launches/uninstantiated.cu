// Nothing here says with what the template of the host is instantiated: whatever it is, the tile and the block go together. It holds with what is tried for it; whether it does with all, nobody knows.
// expect: inconclusive
// small: -
template <int COLUMNS, int ROWS, typename T>
__global__ void mirror(const T* in, T* out) {
  __shared__ T tile[ROWS][COLUMNS];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[(blockIdx.x * ROWS + y) * COLUMNS + x];
  __syncthreads();
  out[(blockIdx.x * ROWS + y) * COLUMNS + x] = tile[(y + 1) % ROWS][COLUMNS - 1 - x];
}

template <int HEAD, typename T>
void run(const T* in, T* out, int n) {
  constexpr int vec = 16 / sizeof(T);
  constexpr int columns = HEAD / vec;
  static_assert(columns <= 32);
  constexpr int rows = 128 / columns;
  mirror<columns, rows, T><<<n, dim3(columns, rows)>>>(in, out);
}
