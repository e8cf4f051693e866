// One round does without the second barrier: the round behind it writes what is still read.
// expect: violated race
// small: -

__global__ void rows(const float* a, float* b, int n) {
  __shared__ float s[64];
  for (int i = 0; i < n; ++i) {
    s[threadIdx.x] = a[i * 64 + threadIdx.x];  // want FP720
    __syncthreads();
    b[i * 64 + threadIdx.x] = s[63 - threadIdx.x];
    if (i - 2) __syncthreads();
  }
}

void launch(const float* a, float* b, int n) { rows<<<1, 64>>>(a, b, n); }
