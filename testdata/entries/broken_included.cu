// Whether the threads meet is up to a function of a header that is not at hand.
// expect: inconclusive
// reason: call of meet_all
// small: -
#include "meet.h"

constexpr int THREADS = 64;

__global__ void __launch_bounds__(THREADS) mirror(const float* in, float* out) {
  __shared__ float tile[THREADS];
  tile[threadIdx.x] = in[threadIdx.x];
  meet_all();
  out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
}

void run(const float* in, float* out) { mirror<<<1, THREADS>>>(in, out); }
