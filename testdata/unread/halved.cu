// Threads add up the members of elements, in two arrays, one behind the other; the type a header declares that is not here. Two threads double a member each of one element.
// expect: inconclusive
// small: -

#include "moments.h"

extern __shared__ Moments room[];

__global__ void __launch_bounds__(64) halved(const Moments* in, Moments* out) {
  Moments* mine = room;
  Moments* yours = &room[blockDim.x];
  mine[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  yours[threadIdx.x] = in[blockIdx.x * 128 + 64 + threadIdx.x];
  __syncthreads();
  for (int left = 32; left > 0; left /= 2) {
    if (threadIdx.x < left) {
      mine[threadIdx.x].first += mine[threadIdx.x + left].first;
      mine[threadIdx.x].second += mine[threadIdx.x + left].second;
      yours[threadIdx.x].second += yours[threadIdx.x + left].second;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) mine[0].first *= 2;
  if (threadIdx.x == 1) mine[0].second *= 2;
  __syncthreads();
  if (threadIdx.x < 2) out[2 * blockIdx.x + threadIdx.x] = room[threadIdx.x * blockDim.x];
}

void run(const Moments* in, Moments* out, int blocks) { halved<<<blocks, 64, 128 * sizeof(Moments)>>>(in, out); }
