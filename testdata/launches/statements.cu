// Macros that launch: without a semicolon behind them, by a reference to the kernel, with a name declared that nothing asks for behind them.
// expect: holds open=race-grid
// small: -

template <int Per> struct Tile { static constexpr int size = Per; };

template <int Per, int Threads> __global__ void reversed(const float* a, float* b) {
  __shared__ float s[Per * Threads];
  for (int k = 0; k < Per; k++) s[k * Threads + threadIdx.x] = a[(blockIdx.x * Per + k) * Threads + threadIdx.x];
  __syncthreads();
  for (int k = 0; k < Per; k++) b[(blockIdx.x * Per + k) * Threads + threadIdx.x] = s[k * Threads + Threads - 1 - threadIdx.x];
}

#define Start(kernel, grid, threads) do { auto& chosen = kernel; chosen<<<grid, threads>>>(a, b); } while (0)
#define Reverse(per) typedef Tile<per> Shape; Start((reversed<Shape::size, 96>), ctas, 96);

void run(const float* a, float* b, int ctas, bool wide) {
  if (wide) {
    Reverse(2)
  } else {
    Reverse(1)
  }
}
