// One thread takes the old score of the row's label, and behind a barrier all write the new scores of the row. Where the row begins is computed twice.
// expect: holds open=race,race-grid
// small: -
__device__ float* row_of(float* table, long row, int width) { return table + row * width; }

__global__ void __launch_bounds__(256) rescale(float* table, float* taken, const int* label, int columns, int width) {
  long row = blockIdx.x;
  int mine = label[row];
  if (threadIdx.x == 0) taken[row] = table[row * width + mine];
  __syncthreads();
  float* scores = row_of(table, row, width);
  for (int j = threadIdx.x; j < columns; j += blockDim.x) scores[j] = 0.5f * j;
}

void run(float* table, float* taken, const int* label, int columns, int width) { rescale<<<8, 256>>>(table, taken, label, columns, width); }
