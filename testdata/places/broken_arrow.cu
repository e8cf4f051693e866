// A member of a vector is read through a pointer with the barrier of a warp alone behind the writes.
// expect: violated race
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void third(const int* x, int* y) {
  __shared__ alignas(16) int s[THREADS];
  const int t = threadIdx.x;
  s[t] = x[t];  // want FP720
  __syncwarp();
  const int4* p = reinterpret_cast<const int4*>(s) + (31 - t % 32);
  y[t] = p->z;
}

void run(const int* x, int* y) { third<<<1, THREADS>>>(x, y); }
