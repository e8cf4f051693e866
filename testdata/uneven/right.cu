// Both halves of the CTA go round equally often: every thread comes to every barrier.
// expect: holds
// small: -

__global__ void mirror(const float* a, float* b, int n) {
  __shared__ float s[128];
  const int half = threadIdx.x / 64;
  for (int k = 0; k < n; ++k) {
    s[threadIdx.x] = a[(2 * k + half) * 64 + threadIdx.x % 64];
    __syncthreads();
    b[(2 * k + half) * 64 + threadIdx.x % 64] = s[half * 64 + 63 - threadIdx.x % 64];
    __syncthreads();
  }
}

void launch(const float* a, float* b, int n) { mirror<<<1, 128>>>(a, b, n); }
