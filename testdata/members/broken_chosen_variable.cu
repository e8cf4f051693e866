// One of two variables is changed back after the other statement changed it.
// expect: violated race
// small: -

__global__ void mirror(const float* a, float* b, int n) {
  __shared__ float s[2][128];
  const int t = threadIdx.x;
  int even = 0, odd = 0;
  for (int i = 0; i < n; ++i) {
    s[even][t] = a[i * 128 + t];
    __syncthreads();
    b[i * 128 + t] = s[even][127 - t];
    even ^= 1;
    int& one = n > 0 ? even : odd;
    one ^= 1;
  }
}

void launch(const float* a, float* b, int n) { mirror<<<1, 128>>>(a, b, n); }
