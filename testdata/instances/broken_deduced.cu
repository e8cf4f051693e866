// As deduced.cu, where both calls are of one instance.
// expect: violated race
// small: -
#include <cuda_runtime.h>

template <class T> __device__ float swap(T v, int i) {
  __shared__ float kept[128];
  kept[threadIdx.x] = v;
  __syncthreads();
  return kept[127 - i];
}

__global__ void mirror(const float* in, float* out) {
  const int tid = threadIdx.x;
  const float x = swap(in[tid], tid);
  out[tid] = swap((float)x, 127 - tid);
}

void launch(const float* in, float* out) { mirror<<<1, 128>>>(in, out); }
