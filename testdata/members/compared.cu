// Operators of a class that only compute are no accesses.
// expect: holds
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

struct Cell {
  float* at;
  __device__ bool operator==(const Cell& other) const { return at == other.at; }
};

__global__ void mirror(const float* in, float* out) {
  __shared__ float tile[THREADS];
  Cell own{tile + threadIdx.x};
  *own.at = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
}

void run(const float* in, float* out) { mirror<<<1, THREADS>>>(in, out); }
