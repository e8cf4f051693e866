// A row is as long as the offsets of two rows say, and no longer than the launch allows: with numbers that go together its tiles are more than one.
// expect: holds open=race-grid
// small: -

__global__ void sum_rows(const float* values, const int* offsets, float* sums, int longest) {
  __shared__ float partial[4];
  const int length = min(offsets[blockIdx.x + 1] - offsets[blockIdx.x], longest);
  float sum = 0;
  for (int tile = 0; tile < (length + 127) / 128; tile++) {
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = values[tile * 128 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) sum += partial[0] + partial[1] + partial[2] + partial[3];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

void launch(const float* values, const int* offsets, float* sums, int longest) { sum_rows<<<8, 128>>>(values, offsets, sums, longest); }
