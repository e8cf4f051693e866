// Where a bucket begins one thread computes for all while each thread reads that of the bucket which a function of a library chooses for its key.
// expect: inconclusive
// small: -
#include "digest.h"

__global__ void __launch_bounds__(128) route(const unsigned *keys, const unsigned *sizes, unsigned *to) {
  __shared__ unsigned begins[16];
  const unsigned key = keys[blockIdx.x * blockDim.x + threadIdx.x];
  const int bucket = digest_of(key);
  if (threadIdx.x == 0) {
    unsigned sum = 0;
    for (int b = 0; b < 16; ++b) {
      begins[b] = sum;
      sum += sizes[b];
    }
  }
  to[blockIdx.x * blockDim.x + threadIdx.x] = begins[bucket];
}
