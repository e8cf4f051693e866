#include <hip/hip_runtime.h>
// Lanes of a wavefront run in step.
__global__ void leader(float* out, float v) {
  __shared__ float firsts[4];
  int wave = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) firsts[wave] = v;
  out[threadIdx.x] = firsts[wave];
}
