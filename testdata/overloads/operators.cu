// Operators that are no methods read and write shared memory through what their operands point to.
// expect: holds open=race-grid
// small: -
#include <cuda_runtime.h>

namespace lane {
struct Cursor {
  float* cells;
  int at;
};
__device__ inline Cursor operator+(Cursor c, int n) { return Cursor{c.cells, c.at + n}; }
__device__ inline Cursor& operator<<=(Cursor& c, float v) {
  c.cells[c.at] = v;
  return c;
}
__device__ inline float operator*(float by, const Cursor& c) { return by * c.cells[c.at]; }
__device__ inline float operator~(const Cursor& c) { return c.cells[0]; }
}  // namespace lane

__global__ void smooth(const float* in, float* out) {
  __shared__ float cells[130];
  int t = threadIdx.x;
  if (t < 2) cells[128 + t] = 0.f;
  lane::Cursor c{cells, t};
  c <<= in[blockIdx.x * 128 + t];
  __syncthreads();
  out[blockIdx.x * 128 + t] = 0.5f * (c + 1) + 0.25f * (c + 2) + ~c;
}

void run(const float* in, float* out, int rows) { smooth<<<rows, 128>>>(in, out); }
