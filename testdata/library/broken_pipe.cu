// Each thread has a pipeline of its own, and waits for the oldest of its copies: what others copied it reads before they have waited, too.
// expect: violated race
// small: -

#include <cuda/pipeline>

__global__ void __launch_bounds__(128) mirrored(const float* in, float* out, int n) {
  __shared__ float s[2][128];
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&s[0][threadIdx.x], in + threadIdx.x, sizeof(float), pipe);
  pipe.producer_commit();
  float v = 0;
  for (int i = 1; i < n; i++) {
    pipe.producer_acquire();
    cuda::memcpy_async(&s[i % 2][threadIdx.x], in + i * 128 + threadIdx.x, cuda::aligned_size_t<4>(4), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    v += s[(i - 1) % 2][127 - threadIdx.x]; // want FP720
    __syncthreads();
    pipe.consumer_release();
  }
  out[threadIdx.x] = v;
}
