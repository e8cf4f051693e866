// All CTAs have one array that is a variable of the GPU, and neighbours write some of the same elements.
// expect: violated race
// small: -
#include <cuda_runtime.h>

__device__ float row[1024];

__global__ void fill(const float* in) { row[blockIdx.x * 64 + threadIdx.x] = in[threadIdx.x]; }

void run(const float* in) { fill<<<8, 128>>>(in); }
