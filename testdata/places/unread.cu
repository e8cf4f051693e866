// Whether the threads meet hangs on a constant of a specialisation.
// expect: holds
// small: -
#include <cuda_runtime.h>

template <int> struct Settings {
  static constexpr int mode = 1;
};
template <> struct Settings<2> {
  static constexpr int mode = 2;
};

constexpr int THREADS = 128;

__global__ void turn(const float* x, float* y) {
  __shared__ float s[THREADS];
  const int t = threadIdx.x;
  s[t] = x[t];
  if (Settings<2>::mode == 2) __syncthreads();
  y[t] = s[THREADS - 1 - t];
}

void run(const float* x, float* y) { turn<<<1, THREADS>>>(x, y); }
