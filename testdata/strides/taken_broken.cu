// Pieces of 16 elements at the most are taken until none is left; nothing keeps the next round from overwriting what is still read.
// expect: violated race
// small: -
__global__ void __launch_bounds__(64) pieces(const float* a, float* b, int n) {
  __shared__ float s[64];
  int i = 0;
  while (true) {
    const int m = min(n - i, 16);
    if (m <= 0) break;
    s[threadIdx.x] = a[i + threadIdx.x];  // want FP720
    __syncthreads();
    b[i * 64 + threadIdx.x] = s[63 - threadIdx.x];
    i += m;
  }
}

void run(const float* a, float* b, int n) { pieces<<<1, 64>>>(a, b, n); }
