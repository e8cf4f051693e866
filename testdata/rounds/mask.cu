// A mask says, bit by bit, in which rounds something is written twice; the barriers are there in all of them.
// expect: holds open=race
// small: -

__global__ void rows(const int* a, int* b, int n, int mask) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  for (int i = 0; i < n; ++i) {
    s[t] = a[t] + i;
    __syncthreads();
    b[t] = s[63 - t];
    if ((mask >> i) != 3) b[t] = s[t];
    __syncthreads();
  }
}

void launch(const int* a, int* b, int n, int mask) { rows<<<1, 64>>>(a, b, n, mask); }
