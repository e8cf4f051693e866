// Three rows that change their names: the first is read two rounds after it was written.
// expect: holds
// small: -

__global__ void rows(const float* a, float* b, int n) {
  __shared__ float s[192];
  int now = 1, next = 2, last = 0;
  for (int i = 0; i < n; ++i) {
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    b[threadIdx.x] += s[now * 64 + (threadIdx.x + i) % 64];
    int first = now;
    now = next;
    next = last;
    last = first;
    __syncthreads();
  }
}

void launch(const float* a, float* b, int n) { rows<<<1, 64>>>(a, b, n); }
