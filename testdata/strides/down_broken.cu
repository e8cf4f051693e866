// What is left of an array is counted down by blocks of 128 elements; nothing keeps the next one from overwriting what is still read.
// expect: inconclusive
// small: -
__global__ void __launch_bounds__(128) mirror(const float* a, float* b, int n) {
  __shared__ float s[128];
  for (int left = n; left > 0; left -= 128) {
    const int m = left < 128 ? left : 128;
    if (threadIdx.x < m) s[threadIdx.x] = a[left - m + threadIdx.x];
    __syncthreads();
    if (threadIdx.x < m) b[left - m + threadIdx.x] = s[m - 1 - threadIdx.x];
  }
}

void run(const float* a, float* b, int n) { mirror<<<1, 128>>>(a, b, n); }
