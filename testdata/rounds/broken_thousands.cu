// Two buffers by turns; each thousandth round takes the one of the round before it. So many rounds are not tried.
// expect: violated race
// small: -

__global__ void mirror(const float* a, float* b, int n) {
  __shared__ float s[2][128];
  for (int k = 0; k < n; ++k) {
    const int turn = (k + k / 1000) & 1;
    s[turn][threadIdx.x] = a[k * 128 + threadIdx.x];
    __syncthreads();
    b[k * 128 + threadIdx.x] = s[turn][127 - threadIdx.x];
  }
}

void launch(const float* a, float* b, int n) { mirror<<<1, 128>>>(a, b, n); }
