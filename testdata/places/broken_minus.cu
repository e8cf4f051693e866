// Elements are counted down from an address; nothing orders the writes with the other threads' reads.
// expect: violated race
// small: -
#include <cuda_runtime.h>

__device__ float* before(float* p, int i) { return p - i; }

__global__ void mirror(const float* in, float* out) {
  const int tid = threadIdx.x;
  *before(out + 127, tid) = in[tid];
  out[128 + tid] = *(out + 127 - (127 - tid));  // want FP720
}

void run(const float* in, float* out) { mirror<<<1, 128>>>(in, out); }
