// Another platform's barrier stands in a branch of which only a header of somebody else's library could decide that it is compiled: it is taken not to be, and here the
// other branch has none.
// expect: violated race
// small: -

#include <thrust/version.h>

template <typename T>
__global__ void __launch_bounds__(32) reversed(const void* in, float* out) {
  __shared__ float s[32];
  s[threadIdx.x] = (T) * (const T*)((const char*)in + threadIdx.x * sizeof(T)); // want FP720
#ifdef WITH_OTHER_PLATFORM
  __syncthreads();
  out[threadIdx.x] = s[31 - threadIdx.x];
#else
  out[threadIdx.x] = s[31 - threadIdx.x];
#endif
}

void run(const float* in, float* out) { reversed<float><<<1, 32>>>(in, out); }
