// Two rows are exchanged by cuda::std::swap; a barrier ends each round.
// expect: holds
// small: -
#include <cuda/std/utility>

__global__ void sums(const float* in, float* out) {
  __shared__ float room[2][128];
  float* from = room[0];
  float* to = room[1];
  from[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    const float x = from[threadIdx.x];
    to[threadIdx.x] = threadIdx.x >= d ? x + from[threadIdx.x - d] : x;
    cuda::std::swap(from, to);
    __syncthreads();
  }
  out[threadIdx.x] = from[threadIdx.x];
}

void run(const float* in, float* out) { sums<<<1, 128>>>(in, out); }
