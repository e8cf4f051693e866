// All threads share a pipeline of two stages: they wait until a stage is free before they copy to it, and not until it is full before they read it.
// expect: violated race
// small: -

#include <cooperative_groups.h>
#include <cuda/pipeline>

__global__ void __launch_bounds__(64) mirrored(const float* in, float* out, int n) {
  __shared__ float s[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cooperative_groups::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  float v = 0;
  for (int i = 0; i < n; i++) {
    pipe.producer_acquire();
    cuda::memcpy_async(&s[i % 2][threadIdx.x], in + i * 64 + threadIdx.x, sizeof(float), pipe);
    pipe.producer_commit();
    v += s[i % 2][63 - threadIdx.x]; // want FP720
    pipe.consumer_release();
  }
  out[threadIdx.x] = v;
}
