// Two buffers by turns. A weight grows until it has its largest value, in the twelfth round, and the turn does not depend on it.
// expect: holds
// small: -

__global__ void mirror(const float* a, float* b, int n) {
  __shared__ float s[2][128];
  int weight = 0;
  for (int k = 0; k < n; ++k) {
    const int turn = k & 1;
    s[turn][threadIdx.x] = a[k * 128 + threadIdx.x];
    __syncthreads();
    weight = min(weight + 1, 12);
    b[k * 128 + threadIdx.x] = s[turn][127 - threadIdx.x] * weight;
  }
}

void launch(const float* a, float* b, int n) { mirror<<<1, 128>>>(a, b, n); }
