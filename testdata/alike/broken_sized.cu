// How large one shared variable is, nobody says, so what shared memory holds is not followed; behind a barrier each warp writes a number of its own.
// expect: violated race
// small: -
#include "bins.h"

__global__ void count(const int* in, int* out, int n) {
  __shared__ Bins bins;
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  if (in[threadIdx.x] > n) atomicAdd(&found, 1);
  if (threadIdx.x == 0) bins.clear();
  __syncthreads();
  *out = found + threadIdx.x / 32;  // want FP720
}

void launch(const int* in, int* out, int n) { count<<<1, 128>>>(in, out, n); }
