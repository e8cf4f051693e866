// Each CTA takes some rows of a sparse matrix: its threads load all their products, and then sum them up, row by row.
// expect: holds open=race,race-grid
// small: -
__global__ void __launch_bounds__(160) sums_of_rows(const int* groups, const int* starts, const int* columns, const float* values, const float* in, float* out) {
  __shared__ float products[2048];
  const int first = groups[blockIdx.x], behind = groups[blockIdx.x + 1];
  const int begin = starts[first], all = starts[behind] - begin;
  for (int k = threadIdx.x; k < all; k += 160) products[k] = values[begin + k] * in[columns[begin + k]];
  __syncthreads();
  for (int row = first + threadIdx.x; row < behind; row += 160) {
    float sum = 0;
    for (int k = starts[row] - begin; k < starts[row + 1] - begin; k++) sum += products[k];
    out[row] = sum;
  }
}

void run(const int* groups, const int* starts, const int* columns, const float* values, const float* in, float* out, int n) {
  sums_of_rows<<<n, 160>>>(groups, starts, columns, values, in, out);
}
