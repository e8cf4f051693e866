// Where the square of a number is 169 the threads neither meet nor read.
// expect: holds
// small: -

__global__ void mirror(const int* a, int* b, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  if (!(n * n == 169)) __syncthreads();
  if (!(n * n == 169)) b[threadIdx.x] = s[63 - threadIdx.x];
}

void launch(const int* a, int* b, int n) { mirror<<<1, 64>>>(a, b, n); }
