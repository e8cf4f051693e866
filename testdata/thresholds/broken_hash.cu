// The threads do not meet for one hash of many.
// expect: violated race
// small: -

__global__ void mirror(const int* a, int* b, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  if (!(((unsigned)n * 2654435761u >> 20) == 77)) __syncthreads();
  b[threadIdx.x] = s[63 - threadIdx.x];
}

void launch(const int* a, int* b, int n) { mirror<<<1, 64>>>(a, b, n); }
