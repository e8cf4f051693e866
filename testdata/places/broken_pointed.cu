// One thread writes a member of what a pointer points to; nothing orders that with the other threads' reads.
// expect: violated race
// small: -
#include <cuda_runtime.h>

struct State {
  float scale;
  int rounds;
};

__global__ void scaled(const float* in, float* out, State* state) {
  if (threadIdx.x == 0) state->scale = in[0]; // want FP720
  out[threadIdx.x] = in[threadIdx.x] * (*state).scale;
  for (int i = 0; i < state->rounds; ++i) __syncthreads();
}

void run(const float* in, float* out, State* state) { scaled<<<1, 128>>>(in, out, state); }
