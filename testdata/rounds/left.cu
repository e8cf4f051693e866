// A barrier stands behind each round, and while something is left the rows are read twice.
// expect: holds
// small: -

__global__ void rows(const int* a, int* b, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  for (int i = 0; i < n; ++i) {
    s[t] = a[t] + i;
    __syncthreads();
    b[t] = s[63 - t];
    if (40 - i >= 0) b[t] = s[t];
    __syncthreads();
  }
}

void launch(const int* a, int* b, int n) { rows<<<1, 64>>>(a, b, n); }
