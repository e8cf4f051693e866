// A launch with an odd number does nothing; in the others a row is read in every third round, and written in the next one with no barrier between.
// expect: violated race
// small: -

__global__ void rows(const int* a, int* b, int n) {
  __shared__ int s[3][64];
  const int t = threadIdx.x;
  if (n % 2) return;
  for (int i = 0; i < n; ++i) {
    s[0][t] = a[t];  // want FP720
    __syncthreads();
    b[t] += s[(i + 1) % 3][63 - t];
  }
}

void launch(const int* a, int* b, int n) { rows<<<1, 64>>>(a, b, n); }
