// A class that is read has a member whose class is not: where its other members are, does not hang on that, and neither does what the text names of that member.
// expect: inconclusive
// small: -
#include "absent/chunk.h"

struct Stage {
  Chunk chunk;
  unsigned count;
  float rows[128];
};

__device__ void fill(Stage* s, const float* in, unsigned at) { s->rows[threadIdx.x] = in[at + threadIdx.x]; }

__global__ void turn(float* out, const float* in) {
  __shared__ Stage stage;
  Stage* const s = &stage;
  if (threadIdx.x == 0) {
    s->count = 0;
    s->chunk.length = 1024;
  }
  __syncthreads();
  for (unsigned i = 0; i < s->chunk.length; i += 128) {
    fill(s, in, i);
    __syncthreads();
    out[i + threadIdx.x] = s->rows[127 - threadIdx.x];
    __syncthreads();
  }
}

void launch(float* out, const float* in) { turn<<<1, 128>>>(out, in); }
