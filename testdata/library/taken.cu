// cuda::std::exchange gives which half was read and says which is written.
// expect: holds
// small: -
#include <cuda/std/utility>

__global__ void rotated(const float* in, float* out) {
  __shared__ float room[256];
  int now = 0;
  room[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    const int was = cuda::std::exchange(now, 1 - now);
    room[now * 128 + threadIdx.x] = room[was * 128 + (threadIdx.x + d) % 128];
    __syncthreads();
  }
  out[threadIdx.x] = room[now * 128 + threadIdx.x];
}

void run(const float* in, float* out) { rotated<<<1, 128>>>(in, out); }
