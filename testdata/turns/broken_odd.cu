// No launch has three rounds: what goes wrong in the fourth is met with four.
// expect: violated race
// small: -

__global__ void rows(const float* a, float* b, int n) {
  __shared__ float s[64];
  if (n == 3 || n == 2) return;
  for (int i = 0; i < n; ++i) {
    s[threadIdx.x] = a[threadIdx.x];  // want FP720
    __syncthreads();
    b[threadIdx.x] += s[(threadIdx.x + i) % 64];
  }
}

void launch(const float* a, float* b, int n) { rows<<<1, 64>>>(a, b, n); }
