// One thread writes a member of what a pointer points to, the others read it behind a barrier; another member is a number of the launch.
// expect: holds
// small: -
#include <cuda_runtime.h>

struct State {
  float scale;
  int rounds;
};

__global__ void scaled(const float* in, float* out, State* state) {
  if (threadIdx.x == 0) state->scale = in[0];
  __syncthreads();
  out[threadIdx.x] = in[threadIdx.x] * (*state).scale;
  for (int i = 0; i < state->rounds; ++i) __syncthreads();
}

void run(const float* in, float* out, State* state) { scaled<<<1, 128>>>(in, out, state); }
