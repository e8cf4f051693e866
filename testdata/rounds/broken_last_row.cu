// The row goes on to the last one and stays there: from then on each round writes what the round before it still reads.
// expect: violated race
// small: -

__global__ void rows(const float* a, float* b, int n) {
  __shared__ float s[4][64];
  int row = 0;
  for (int i = 0; i < n; ++i) {
    s[row][threadIdx.x] = a[i * 64 + threadIdx.x];  // want FP720
    __syncthreads();
    b[i * 64 + threadIdx.x] = s[row][63 - threadIdx.x];
    row = min(row + 1, 3);
  }
}

void launch(const float* a, float* b, int n) { rows<<<1, 64>>>(a, b, n); }
