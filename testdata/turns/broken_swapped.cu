// Three rows that change their names: the first is read two rounds after it was written, while it is written again.
// expect: violated race
// small: -

__global__ void rows(const float* a, float* b, int n) {
  __shared__ float s[192];
  int now = 1, next = 2, last = 0;
  for (int i = 0; i < n; ++i) {
    s[threadIdx.x] = a[threadIdx.x];  // want FP720
    __syncthreads();
    b[threadIdx.x] += s[now * 64 + (threadIdx.x + i) % 64];
    int first = now;
    now = next;
    next = last;
    last = first;
  }
}

void launch(const float* a, float* b, int n) { rows<<<1, 64>>>(a, b, n); }
