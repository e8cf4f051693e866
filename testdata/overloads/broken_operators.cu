// As operators.cu, but nobody waits for who writes the next cells.
// expect: violated race
// small: -
#include <cuda_runtime.h>

namespace lane {
struct Cursor {
  float* cells;
  int at;
};
__device__ inline Cursor operator+(Cursor c, int n) { return Cursor{c.cells, c.at + n}; }
__device__ inline Cursor& operator<<=(Cursor& c, float v) {
  c.cells[c.at] = v;  // want FP720
  return c;
}
__device__ inline float operator*(float by, const Cursor& c) { return by * c.cells[c.at]; }  // want FP720
__device__ inline float operator~(const Cursor& c) { return c.cells[0]; }
}  // namespace lane

__global__ void smooth(const float* in, float* out) {
  __shared__ float cells[130];
  int t = threadIdx.x;
  if (t < 2) cells[128 + t] = 0.f;  // want FP720
  lane::Cursor c{cells, t};
  c <<= in[blockIdx.x * 128 + t];
  out[blockIdx.x * 128 + t] = 0.5f * (c + 1) + 0.25f * (c + 2) + ~c;
}

void run(const float* in, float* out, int rows) { smooth<<<rows, 128>>>(in, out); }
