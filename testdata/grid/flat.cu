// How large the grid is follows from what the host is given, but it has one CTA along the third axis: those along it do not meet.
// expect: holds open=race-grid
// small: -
#include <cuda_runtime.h>

template <bool FOLDED> __global__ void __launch_bounds__(128) scaled(const float* in, float* out, int width) {
  const int column = (FOLDED ? blockIdx.z * gridDim.x : 0) + blockIdx.x;
  const int at = blockIdx.y * width + column * 128 + threadIdx.x;
  if (blockIdx.z < 4) out[at] = 2.f * in[at] + blockIdx.z;
}

void run(const float* in, float* out, int rows, int columns) {
  dim3 grid(columns, rows);
  scaled<false><<<grid, 128>>>(in, out, columns * 128);
}
