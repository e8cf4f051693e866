// As implicit.cu, but the constructor is a template: what it is handed says for what.
// expect: holds open=race-grid
// small: -
#include <cuda_runtime.h>

struct Marked {
  float by;
  template <typename At>
  __device__ Marked(At at) : by(2.f) {
    at[threadIdx.x] = by;
  }
};

__device__ inline float scaled(Marked m, float x) { return m.by * x; }

__global__ void mark(const float* in, float* out) {
  __shared__ float cells[128];
  float mine = scaled(cells, in[threadIdx.x]);
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = mine + cells[127 - threadIdx.x];
}

void run(const float* in, float* out, int rows) { mark<<<rows, 128>>>(in, out); }
