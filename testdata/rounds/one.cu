// One round does without the third barrier of a round, which none needs.
// expect: holds
// small: -

__global__ void rows(const float* a, float* b, int n) {
  __shared__ float s[64];
  for (int i = 0; i < n; ++i) {
    s[threadIdx.x] = a[i * 64 + threadIdx.x];
    __syncthreads();
    b[i * 64 + threadIdx.x] = s[63 - threadIdx.x];
    __syncthreads();
    if (i - 2) __syncthreads();
  }
}

void launch(const float* a, float* b, int n) { rows<<<1, 64>>>(a, b, n); }
