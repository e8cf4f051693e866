// The threads do not meet for very many rows.
// expect: violated race
// small: -

__global__ void mirror(const int* a, int* b, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  if (!(n > 100000)) __syncthreads();
  b[threadIdx.x] = s[63 - threadIdx.x];  // want FP720
}

void launch(const int* a, int* b, int n) { mirror<<<1, 64>>>(a, b, n); }
