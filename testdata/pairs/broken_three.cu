// The threads do not meet behind three tests of three numbers.
// expect: violated race
// small: -

__global__ void mirror(const int* a, int* b, int n, int m, int k) {
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  if (!(n > 3 && m > 5 && k == 7)) __syncthreads();
  b[threadIdx.x] = s[63 - threadIdx.x];  // want FP720
}

void launch(const int* a, int* b, int n, int m, int k) { mirror<<<1, 64>>>(a, b, n, m, k); }
