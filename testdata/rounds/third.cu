// The rows are read twice a third of the way; the barriers are there in all rounds.
// expect: holds
// small: -

__global__ void rows(const int* a, int* b, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  for (int i = 0; i < n; ++i) {
    s[t] = a[t] + i;
    __syncthreads();
    b[t] = s[63 - t];
    if (i * 3 != n + 1) b[t] = s[t];
    __syncthreads();
  }
}

void launch(const int* a, int* b, int n) { rows<<<1, 64>>>(a, b, n); }
