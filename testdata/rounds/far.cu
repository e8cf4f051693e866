// A second round reads what the first one may still write, and no number that is tried makes threads go round twice.
// expect: inconclusive
// small: -

__device__ unsigned mixed(unsigned n) {
  n = (n ^ 0x5bd1e995u) * 2654435761u;
  n = (n ^ n >> 13) * 2246822519u;
  return n ^ n >> 16;
}

__global__ void __launch_bounds__(64) sums(const int* a, int* b, unsigned n) {
  __shared__ int s[64];
  for (unsigned c = 0; c < 1 + mixed(n) / 0xffffff00u; c++) {
    s[threadIdx.x] = a[c * 64 + threadIdx.x];
    __syncthreads();
    b[c * 64 + threadIdx.x] = s[63 - threadIdx.x];
  }
}
