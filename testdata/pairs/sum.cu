// Where one number is another and 37 the threads neither meet nor read.
// expect: holds
// small: -

__global__ void mirror(const int* a, int* b, int n, int m, int k) {
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  if (!(n == m + 37)) __syncthreads();
  if (!(n == m + 37)) b[threadIdx.x] = s[63 - threadIdx.x];
}

void launch(const int* a, int* b, int n, int m, int k) { mirror<<<1, 64>>>(a, b, n, m, k); }
