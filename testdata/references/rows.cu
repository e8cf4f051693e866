// Rows of a matrix in shared memory are written and read by way of pointers to rows, which are handed to functions, and made by a cast.
// expect: holds open=race-grid
// small: -

__device__ void put(float rows[][32], float v) { rows[threadIdx.x / 32][threadIdx.x % 32] = v; }

__device__ float at(const float (*rows)[32], int row, int column) { return rows[row][column]; }

template <int N, int M>
__device__ float sum(const float (&m)[N][M]) {
  float all = 0;
  for (int i = 0; i < N; i++)
    for (int k = 0; k < M; k++) all += m[i][k];
  return all;
}

struct Tile {
  float (*rows)[32];
};

__global__ void __launch_bounds__(128) exchanged(const float* in, float* out) {
  __shared__ float s[4][32];
  float own[2][2];
  for (int i = 0; i < 4; i++) own[i / 2][i % 2] = in[threadIdx.x + 128 * i];
  put(s, sum(own));
  __syncthreads();
  Tile tile;
  tile.rows = s;
  float (*rows)[32] = tile.rows;
  auto other = reinterpret_cast<float (*)[64]>(&s[0][0]);
  float v = at(rows, 3 - threadIdx.x / 32, threadIdx.x % 32) + other[1][threadIdx.x % 64];
  __syncthreads();
  rows[threadIdx.x / 32][31 - threadIdx.x % 32] = v;
  __syncthreads();
  out[threadIdx.x] = at(rows, threadIdx.x / 32, 0);
}
