// As in broken_rows_shared.cu, for as many vectors as the caller says: with one of them a thread reads what it has written.
// expect: violated race
// small: -

__global__ void columns(const float* a, const float* x, float* y, int rows, int width, int count) {
  extern __shared__ float kept[];
  for (int r = threadIdx.y; r < rows; r += blockDim.y)
    for (int c = threadIdx.x; c < width; c += blockDim.x) kept[r * width + c] = a[r * width + c];  // want FP720
  for (int k = threadIdx.y; k < count; k += blockDim.y)
    for (int c = threadIdx.x; c < width; c += blockDim.x) {
      float sum = 0;
      for (int r = 0; r < rows; r++) sum += kept[r * width + c] * x[k * rows + r];
      y[k * width + c] = sum;
    }
}

void run(const float* a, const float* x, float* y, int rows, int width, int count) {
  columns<<<1, dim3(64, 4), rows * width * sizeof(float)>>>(a, x, y, rows, width, count);
}
