// A mask says, bit by bit, in which rounds there is a second barrier: where what is left of it is three there is none.
// expect: violated race
// small: -

__global__ void rows(const int* a, int* b, int n, int mask) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  for (int i = 0; i < n; ++i) {
    s[t] = a[t] + i;
    __syncthreads();
    b[t] = s[63 - t];
    if ((mask >> i) != 3) __syncthreads();
  }
}

void launch(const int* a, int* b, int n, int mask) { rows<<<1, 64>>>(a, b, n, mask); }
