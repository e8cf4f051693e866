// The loop is left in a round that only bits of its counter tell, behind a barrier too few.
// expect: violated race
// small: -

__global__ void rows(const int* a, int* b, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  for (int i = 0; i < n; ++i) {
    s[t] = a[t] + i;
    if ((i ^ 21) == 0) break;
    __syncthreads();
    b[t] = s[63 - t];
    __syncthreads();
  }
  b[t] += s[63 - t];  // want FP720
}

void launch(const int* a, int* b, int n) { rows<<<1, 64>>>(a, b, n); }
