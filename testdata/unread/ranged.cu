// All threads read what the first element has come to before it is set anew; its type a header declares that is not here, and how many there are the launch says.
// expect: inconclusive
// small: -

#include "keys.h"

__global__ void __launch_bounds__(128) ranged(const Key* in, Key* out) {
  extern __shared__ Key most[];
  most[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  Key first = most[0];
  __syncthreads();
  most[threadIdx.x] = in[128 + threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = first < most[127] ? first : most[127];
}
