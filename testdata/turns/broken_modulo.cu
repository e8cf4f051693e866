// The row that is read turns by thirds: who reads the first one in round 2 meets round 3, which does not wait.
// expect: violated race
// small: -

__global__ void rows(const float* a, float* b, int n) {
  __shared__ float s[192];
  for (int i = 0; i < n; ++i) {
    s[threadIdx.x] = a[threadIdx.x];  // want FP720
    __syncthreads();
    b[threadIdx.x] += s[(i + 1) % 3 * 64 + (threadIdx.x + i) % 64];
  }
}

void launch(const float* a, float* b, int n) { rows<<<1, 64>>>(a, b, n); }
