// Nobody defines the name, so nobody meets.
// expect: violated race
// small: -
#include <cstdint>

__global__ void __launch_bounds__(64) mirror(const float* in, float* out) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
#ifdef MEET
  __syncthreads();
#endif
  out[threadIdx.x] = tile[63 - threadIdx.x];  // want FP720
}

void run(const float* in, float* out) { mirror<<<1, 64>>>(in, out); }
