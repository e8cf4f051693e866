// All CTAs have one array that is a variable of the GPU, and each writes elements of its own.
// expect: holds open=race-grid
// small: -
#include <cuda_runtime.h>

__device__ float row[1024];

__global__ void fill(const float* in) { row[blockIdx.x * 128 + threadIdx.x] = in[threadIdx.x]; }

void run(const float* in) { fill<<<8, 128>>>(in); }
