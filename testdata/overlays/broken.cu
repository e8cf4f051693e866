// As right.cu, where the memory behind the first member is written by itself, too: that is the second member.
// expect: violated race
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
  float* tail = reinterpret_cast<float*>(raw + sizeof(float) * THREADS);
  tail[THREADS - 1 - tid] = 0.f;
  __syncthreads();
  out[tid] = kept.near[THREADS - 1 - tid] + kept.far[THREADS - 1 - tid] + tail[tid];
}

void launch(const float* in, float* out) { mirror<<<1, THREADS, 4096>>>(in, out); }
