// A vector of two doubles is four floats wide, its neighbour is two away.
// expect: violated race
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void fill(float* out) {
  __shared__ __align__(16) float tile[4 * THREADS];
  *reinterpret_cast<double2*>(&tile[threadIdx.x * 2]) = make_double2(threadIdx.x, 0.0);
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}

void run(float* out) { fill<<<1, THREADS>>>(out); }
