// As columns_of_grid.cu, but the CTA takes what stands in the first column of its neighbour, too.
// expect: violated race
// small: -
__global__ void turn_round(int* table, int rows) {
  const int across = gridDim.x * blockDim.x, column = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int row = threadIdx.y; row < 12; row += blockDim.y) sum += table[row * across + column + 1];
  for (int row = threadIdx.y; row < 12; row += blockDim.y) table[row * across + column] = sum;
}

void run(int* table, int width) { turn_round<<<width / 32, dim3(32, 4)>>>(table, 12); }
