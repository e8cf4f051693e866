// Each warp waits for itself only at a barrier that counts one warp: lanes read what their neighbours wrote, in any number of rounds.
// expect: holds
// small: -

__global__ void mirror(const float* a, float* b, int n) {
  __shared__ float s[64];
  for (int i = 0; i < n; ++i) {
    s[threadIdx.x] = a[threadIdx.x];
    asm volatile("barrier.sync.aligned 1, 32;" ::: "memory");
    b[threadIdx.x] += s[threadIdx.x ^ 1];
    asm volatile("barrier.sync.aligned 1, 32;" ::: "memory");
  }
}

void launch(const float* a, float* b, int n) { mirror<<<1, 64>>>(a, b, n); }
