// A namespace of a header that is not there has what cooperative groups have.
// expect: violated race
// small: -
#include "absent/groups.h"

__global__ void exchange(float* out, const float* in) {
  auto block = lanes::this_thread_block();
  auto warp = lanes::tiled_partition<lanes::all>(block);
  __shared__ float s[128];
  s[threadIdx.x] = in[threadIdx.x];
  warp.sync();
  out[threadIdx.x] = s[threadIdx.x ^ 1]; // want FP720
  s[threadIdx.x] = 0;
}

void launch(float* out, const float* in) { exchange<<<1, 128>>>(out, in); }
