// Two bytes are no word: memcpy_async copies them before it returns, each thread its own.
// expect: holds open=race-grid
// small: -

#include <cuda/pipeline>

__global__ void __launch_bounds__(128) mirrored(const unsigned short* in, unsigned short* out) {
  __shared__ unsigned short s[128];
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&s[threadIdx.x], in + threadIdx.x, sizeof(unsigned short), pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  __syncthreads();
  out[threadIdx.x] = s[127 - threadIdx.x];
}
