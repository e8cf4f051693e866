// Rows of a matrix that are as long as the caller says are kept in dynamic shared memory; each row is written by some threads and read by others behind a barrier.
// expect: holds open=race
// small: -

__global__ void columns(const float* a, const float* x, float* y, int rows, int width) {
  extern __shared__ float kept[];
  for (int r = threadIdx.y; r < rows; r += blockDim.y)
    for (int c = threadIdx.x; c < width; c += blockDim.x) kept[r * width + c] = a[r * width + c];
  __syncthreads();
  for (int c = threadIdx.x; c < width; c += blockDim.x) {
    float sum = 0;
    for (int r = 0; r < rows; r++) sum += kept[r * width + c] * x[threadIdx.y * rows + r];
    y[threadIdx.y * width + c] = sum;
  }
}

void run(const float* a, const float* x, float* y, int rows, int width) {
  columns<<<1, dim3(64, 4), rows * width * sizeof(float)>>>(a, x, y, rows, width);
}
