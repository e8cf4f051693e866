// Two premises together, one of them of what the other one allows: the rows are apart.
// expect: holds
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 64;

__global__ void shift(int* x, int whole, int by) {
  __requires(whole == 0 | whole == 1);
  __requires(__implies(__enabled(), whole == 1));
  __assume(__implies(whole == 1, by == THREADS));
  __shared__ int s[3 * THREADS];
  s[threadIdx.x] = x[threadIdx.x];
  s[threadIdx.x + by] = 2 * threadIdx.x;
  __syncthreads();
  x[threadIdx.x] = s[2 * THREADS - 1 - threadIdx.x];
}

void run(int* x, int whole, int by) { shift<<<1, THREADS>>>(x, whole, by); }
