// How large a point is stands in a file that is not there. Elements of one array are as far apart, whatever that is.
#include <points/points.h>
using point = points::point;

__global__ void __launch_bounds__(64) mirrored(point* out) {
  extern __shared__ int s[];
  point* at = reinterpret_cast<point*>(&s[blockDim.x]);
  at[threadIdx.x] = out[threadIdx.x];
  point mine = at[63 - threadIdx.x];  // want FP720 "while thread"
  out[threadIdx.x] = mine;
}

__global__ void __launch_bounds__(64) waiting(point* out) {
  extern __shared__ int s[];
  point* at = reinterpret_cast<point*>(&s[blockDim.x]);
  at[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  point mine = at[63 - threadIdx.x];
  out[threadIdx.x] = mine;
}

// Three numbers are a point, and each thread has its own.
__global__ void __launch_bounds__(64) taken_apart(point* out, float* numbers) {
  extern __shared__ int s[];
  point* at = reinterpret_cast<point*>(s);
  float* flat = reinterpret_cast<float*>(s);
  at[threadIdx.x] = out[threadIdx.x];
  for (int k = 0; k < 3; k++) numbers[threadIdx.x * 3 + k] = flat[threadIdx.x * 3 + k];
}
