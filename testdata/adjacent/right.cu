// Threads take what their neighbours hold in global memory, and a barrier stands between that and the writes.
// expect: holds
// small: -
#include <cuda_runtime.h>

__shared__ float sums[2];

__global__ void shift(float* row, float* total) {
  const int tid = threadIdx.x;
  const float next = row[(tid + 1) % 64];
  __syncthreads();
  row[tid] = next;
  if (tid % 32 == 0) sums[tid / 32] = next;
  __syncthreads();
  total[0] = sums[0] + sums[1];
}

void run(float* row, float* total) { shift<<<1, 64>>>(row, total); }
