// A warp in two halves meets at a barrier that counts one warp; the other warp does not.
// expect: violated race
// small: -

__global__ void mirror(const float* a, float* b, int n) {
  __shared__ float s[64];
  for (int i = 0; i < n; ++i) {
    s[threadIdx.x] = a[threadIdx.x];  // want FP720
    if (threadIdx.x % 32 < 16) __syncwarp(0xffffu);
    asm volatile("barrier.sync 1, 32;" ::: "memory");
    b[threadIdx.x] += s[63 - threadIdx.x];
    asm volatile("barrier.sync 1, 32;" ::: "memory");
  }
}

void launch(const float* a, float* b, int n) { mirror<<<1, 64>>>(a, b, n); }
