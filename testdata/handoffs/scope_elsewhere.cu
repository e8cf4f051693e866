// How far a word orders is a constant of a file that is not there: what is said of any guess of it is not said.
// expect: inconclusive
#include <cuda/atomic>

#include "elsewhere.h"

__global__ void relay(const float* in, float* row, int* full, float* out) {
  cuda::atomic_ref<int, how_far> word(*full);
  if (blockIdx.x == 0) {
    row[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) word.store(1, cuda::std::memory_order_release);
  } else {
    if (threadIdx.x == 0)
      while (word.load(cuda::std::memory_order_acquire) == 0) {
      }
    __syncthreads();
    out[threadIdx.x] = row[63 - threadIdx.x];
  }
}

void run(const float* in, float* row, int* full, float* out) { relay<<<2, 64>>>(in, row, full, out); }
