// A function of a file that is not there is handed what each thread has: it may be a sum over the CTA, which waits for all.
// expect: inconclusive
// small: -
#include "sum.cuh"

__global__ void __launch_bounds__(128) sums(const float* in, float* out) {
  __shared__ float last[128];
  last[threadIdx.x] = in[threadIdx.x];
  const float all = sum_of_all(in[128 + threadIdx.x]);
  out[threadIdx.x] = all * last[127 - threadIdx.x];
}

void run(const float* in, float* out) { sums<<<1, 128>>>(in, out); }
