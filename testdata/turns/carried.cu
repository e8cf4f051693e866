// A stage that goes on in each second round: the first row is read in round 2, and written in round 3.
// expect: holds
// small: -

__global__ void rows(const float* a, float* b, int n) {
  __shared__ float s[128];
  int stage = 1;
  for (int i = 0; i < n; ++i) {
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    b[threadIdx.x] += s[stage * 64 + (threadIdx.x + i) % 64];
    if (i & 1) stage ^= 1;
    __syncthreads();
  }
}

void launch(const float* a, float* b, int n) { rows<<<1, 64>>>(a, b, n); }
