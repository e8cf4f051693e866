// All threads read the first element, which the first thread may set anew meanwhile; its type a header declares that is not here, and how many there are the launch says.
// expect: violated race
// small: -

#include "keys.h"

__global__ void __launch_bounds__(128) ranged(const Key* in, Key* out) {
  extern __shared__ Key most[];
  most[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  Key first = most[0];
  most[threadIdx.x] = in[128 + threadIdx.x]; // want FP720
  __syncthreads();
  out[threadIdx.x] = first < most[127] ? first : most[127];
}
