// A loop over the elements of an array changes copies of them.
// expect: violated race
// small: -

__global__ void mirror(const float* a, float* b, int n) {
  __shared__ float s[2][128];
  const int t = threadIdx.x;
  int turns[2] = {0, 0};
  for (int i = 0; i < n; ++i) {
    s[turns[1]][t] = a[i * 128 + t];
    __syncthreads();
    b[i * 128 + t] = s[turns[1]][127 - t];
    for (auto x : turns) x ^= 1;
  }
}

void launch(const float* a, float* b, int n) { mirror<<<1, 128>>>(a, b, n); }
