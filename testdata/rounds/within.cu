// Loops within each other, both of n rounds, use their rows by turns of 64.
// expect: holds
// small: -

__global__ void rows(const int* a, int* b, int n) {
  __shared__ int s[64][32];
  const int t = threadIdx.x;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) {
      s[(i + k) % 64][t] = a[t] + k;
      __syncthreads();
      b[t] = s[(i + k) % 64][31 - t];
      __syncthreads();
    }
  }
}

void launch(const int* a, int* b, int n) { rows<<<1, 32>>>(a, b, n); }
