// cuda::std::exchange gives which half was read, and that is written as well.
// expect: violated race
// small: -
#include <cuda/std/utility>

__global__ void rotated(const float* in, float* out) {
  __shared__ float room[256];
  int now = 0;
  room[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    const int was = cuda::std::exchange(now, 1 - now);
    room[was * 128 + threadIdx.x] = room[was * 128 + (threadIdx.x + d) % 128];  // want FP720
    __syncthreads();
  }
  out[threadIdx.x] = room[now * 128 + threadIdx.x];
}

void run(const float* in, float* out) { rotated<<<1, 128>>>(in, out); }
