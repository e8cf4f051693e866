// With an odd number of parts one half goes round once more, after the other has ended: __syncthreads is for all or none.
// expect: holds open=deadlock
// small: -

__global__ void mirror(const float* a, float* b, int n) {
  __shared__ float s[128];
  const int half = threadIdx.x / 64;
  for (int k = half; k < n; k += 2) {
    s[threadIdx.x] = a[k * 64 + threadIdx.x % 64];
    __syncthreads();
    b[k * 64 + threadIdx.x % 64] = s[half * 64 + 63 - threadIdx.x % 64];
    __syncthreads();
  }
}

void launch(const float* a, float* b, int n) { mirror<<<1, 128>>>(a, b, n); }
