// Memory whose size the launch says is read as one class.
// expect: holds
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

struct Storage {
  float near[THREADS];
  float far[THREADS];
};

__global__ void __launch_bounds__(THREADS) mirror(const float* in, float* out) {
  extern __shared__ unsigned char raw[];
  Storage& kept = *reinterpret_cast<Storage*>(raw);
  const int tid = threadIdx.x;
  kept.near[tid] = in[tid];
  kept.far[tid] = in[THREADS + tid];
  __syncthreads();
  out[tid] = kept.near[THREADS - 1 - tid] + kept.far[THREADS - 1 - tid];
}

void launch(const float* in, float* out) { mirror<<<1, THREADS, 4096>>>(in, out); }
