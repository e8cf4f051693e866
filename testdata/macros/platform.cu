// Another platform's barrier stands in a branch of which only a header of somebody else's library could decide that it is compiled: it is taken not to be.
// expect: holds open=race-grid
// small: -

#include <thrust/version.h>

__global__ void __launch_bounds__(32) reversed(const float* in, float* out) {
  __shared__ float s[32];
  s[threadIdx.x] = in[threadIdx.x];
#ifdef WITH_OTHER_PLATFORM
  __syncthreads();
#else
  __syncwarp();
#endif
  out[threadIdx.x] = s[31 - threadIdx.x];
}
