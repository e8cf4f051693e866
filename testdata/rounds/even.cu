// A launch with an odd number does nothing; in the others a row is read in every third round.
// expect: holds
// small: -

__global__ void rows(const int* a, int* b, int n) {
  __shared__ int s[3][64];
  const int t = threadIdx.x;
  if (n % 2) return;
  for (int i = 0; i < n; ++i) {
    s[0][t] = a[t];
    __syncthreads();
    b[t] += s[(i + 1) % 3][63 - t];
    __syncthreads();
  }
}

void launch(const int* a, int* b, int n) { rows<<<1, 64>>>(a, b, n); }
