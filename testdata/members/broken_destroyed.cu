// An object writes to shared memory where it ends, while other threads still read.
// expect: violated race
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

struct Cell {
  float* at;
  __device__ ~Cell() { *at = 0.0f; }
};

__global__ void mirror(const float* in, float* out) {
  __shared__ float tile[THREADS];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  Cell own{tile + threadIdx.x};
  out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
}

void run(const float* in, float* out) { mirror<<<1, THREADS>>>(in, out); }
