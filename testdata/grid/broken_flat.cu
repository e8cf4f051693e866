// As flat.cu, with two CTAs along the third axis, which both write all of it.
// expect: violated race
// small: -
#include <cuda_runtime.h>

template <bool FOLDED> __global__ void __launch_bounds__(128) scaled(const float* in, float* out, int width) {
  const int column = (FOLDED ? blockIdx.z * gridDim.x : 0) + blockIdx.x;
  const int at = blockIdx.y * width + column * 128 + threadIdx.x;
  if (blockIdx.z < 4) out[at] = 2.f * in[at] + blockIdx.z;  // want FP720
}

void run(const float* in, float* out, int rows, int columns) {
  dim3 grid(columns, rows, 2);
  scaled<false><<<grid, 128>>>(in, out, columns * 128);
}
