// What is assigned to an object of a class goes to shared memory; nothing orders it with the reads.
// expect: violated race
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

struct Cell {
  float* at;
  __device__ void operator=(float x) { *at = x; }
};

__global__ void mirror(const float* in, float* out) {
  __shared__ float tile[THREADS];
  Cell own{tile + threadIdx.x};
  own = in[threadIdx.x];
  out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
}

void run(const float* in, float* out) { mirror<<<1, THREADS>>>(in, out); }
