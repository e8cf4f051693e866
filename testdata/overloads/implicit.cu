// A number that is handed to a function becomes an object on the way there: its constructor writes shared memory.
// expect: holds open=race-grid
// small: -
#include <cuda_runtime.h>

struct Posted {
  float* at;
  __device__ Posted(float* p) : at(p + threadIdx.x) { *at = 1.f; }
};

__device__ inline float first(const Posted& p, float by) { return by * *p.at; }

__global__ void post(const float* in, float* out) {
  __shared__ float cells[128];
  float mine = first(cells, in[threadIdx.x]);
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = mine + cells[127 - threadIdx.x];
}

void run(const float* in, float* out, int rows) { post<<<rows, 128>>>(in, out); }
