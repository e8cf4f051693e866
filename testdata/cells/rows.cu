// Data say which element of a row is taken, and nothing else: the rows that are read and written in one round are not one.
// expect: holds open=race-grid
// small: -
__device__ float nearest(const float* row, const int* of, int at) {
  float least = row[at];
  for (int k = 0; k < 2; k++) {
    least = fminf(least, row[of[2 * at + k]]);
  }
  return least;
}

__global__ void __launch_bounds__(256) spread(const float* in, const int* of, float* out, int rounds) {
  __shared__ float value[2][256];
  int at = threadIdx.x, now = 0;
  value[now][at] = in[blockIdx.x * 256 + at];
  for (int r = 0; r < rounds; r++) {
    __syncthreads();
    value[now ^ 1][at] = nearest(value[now], of, at) + value[now][of[at]];
    now ^= 1;
  }
  out[blockIdx.x * 256 + at] = value[now][at];
}

void run(const float* in, const int* of, float* out, int rows, int rounds) { spread<<<rows, 256>>>(in, of, out, rounds); }
