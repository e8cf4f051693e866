// A template has a specialisation that lets a warp meet only, and that is called.
// expect: violated race
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;
template <int WIDTH>
__device__ void meet(int) { __syncthreads(); }
template <>
__device__ void meet<2>(int) { __syncwarp(); }

__global__ void mirror(const float* in, float* out, float limit) {
  __shared__ float tile[THREADS];
  tile[threadIdx.x] = in[threadIdx.x];
  meet<2>(1);
  out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
}

void run(const float* in, float* out, float limit) { mirror<<<1, THREADS>>>(in, out, limit); }
