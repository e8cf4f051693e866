// Two buffers by turns. What is added to the turn doubles in each round and reaches its twentieth bit in the twentieth: two rounds, one
// behind the other, have one buffer there.
// expect: violated race
// small: -

__global__ void mirror(const float* a, float* b, int n) {
  __shared__ float s[2][128];
  unsigned x = 1;
  for (int k = 0; k < n; ++k) {
    const int turn = (k + (x >> 20)) & 1;
    s[turn][threadIdx.x] = a[k * 128 + threadIdx.x];  // want FP720
    __syncthreads();
    b[k * 128 + threadIdx.x] = s[turn][127 - threadIdx.x];
    x = 2 * x + 1;
  }
}

void launch(const float* a, float* b, int n) { mirror<<<1, 128>>>(a, b, n); }
