// The threads do not meet where one number is another and 37: nobody waits then.
// expect: violated race
// small: -

__global__ void mirror(const int* a, int* b, int n, int m, int k) {
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  if (!(n == m + 37)) __syncthreads();
  b[threadIdx.x] = s[63 - threadIdx.x];  // want FP720
}

void launch(const int* a, int* b, int n, int m, int k) { mirror<<<1, 64>>>(a, b, n, m, k); }
