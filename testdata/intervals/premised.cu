// What is taken for granted is so on every way: where it is not, nobody comes to the store. That no CTA of the launch is the one that it speaks of keeps the kernel from being decided.
// expect: inconclusive
// small: -
#include <cassert>

__global__ void rest(int* out) {
  assert(blockIdx.x == 16);
  if (blockIdx.x != 16) {
    out[0] = threadIdx.x;
  }
}

void run(int* out) { rest<<<8, 256>>>(out); }
