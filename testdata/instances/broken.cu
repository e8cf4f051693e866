// As right.cu, where the second call is of the same instance, by the default of its parameter.
// expect: violated race
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

template <int Slot = 0> __device__ float swap(float v, int i) {
  __shared__ float kept[THREADS];
  kept[threadIdx.x] = v;  // want FP720
  __syncthreads();
  return kept[THREADS - 1 - i];
}

__global__ void __launch_bounds__(THREADS) mirror(const float* in, float* out) {
  const int tid = threadIdx.x;
  const float x = swap<0>(in[tid], tid);
  out[tid] = swap<>(x, THREADS - 1 - tid);
}

void launch(const float* in, float* out) { mirror<<<1, THREADS>>>(in, out); }
