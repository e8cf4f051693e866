// The second barrier is left out in the round whose number cubed is another one and six.
// expect: violated race
// small: -

__global__ void rows(const int* a, int* b, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  for (int i = 0; i < n; ++i) {
    s[t] = a[t] + i;
    __syncthreads();
    b[t] = s[63 - t];
    if (i * i * i != n + 6) __syncthreads();
  }
}

void launch(const int* a, int* b, int n) { rows<<<1, 64>>>(a, b, n); }
