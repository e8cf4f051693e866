// Of two templates one has a parameter that nothing tells where it is called with no more than values: the other one is meant, and hands it a function.
// expect: holds open=race-grid
// small: -
template <typename T> struct Changes {
  static __device__ void none(T& x) {}
};

struct Tile {
  template <typename T, void Change(T&), typename N> static __device__ void each(T* x, N n) { one<T, Change>(x + n); }
  template <typename T, void Change(T&)> static __device__ void one(T* x) { Change(*x); }
  template <typename T, typename N> static __device__ void each(T* x, N n) { each<T, Changes<T>::none>(x, n); }
};

__global__ void __launch_bounds__(64) mirror(const float* in, float* out) {
  __shared__ float row[64];
  row[threadIdx.x] = in[threadIdx.x];
  Tile::each(row, threadIdx.x);
  __syncthreads();
  out[64 * blockIdx.x + threadIdx.x] = row[63 - threadIdx.x];
}

void run(const float* in, float* out, int rows) { mirror<<<rows, 64>>>(in, out); }
