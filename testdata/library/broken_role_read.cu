// As role_pipe.cu, but who takes a stage reads it when it is given back.
// expect: violated race
// small: -
#include <cuda/pipeline>
#include <cooperative_groups.h>

constexpr int DEPTH = 3;
constexpr int TAKERS = 64;

__global__ void __launch_bounds__(96) sums(const float* in, float* out, int rounds) {
  __shared__ float stage[DEPTH][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, DEPTH> state;
  const bool brings = threadIdx.x >= TAKERS;
  cuda::pipeline_role role = cuda::pipeline_role::consumer;
  if (brings) role = cuda::pipeline_role::producer;
  auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state, role);
  if (brings) {
    for (int i = 0; i < rounds; ++i) {
      pipe.producer_acquire();
      const int lane = threadIdx.x - TAKERS;
      cuda::memcpy_async(&stage[i % DEPTH][lane], in + i * 32 + lane, sizeof(float), pipe);
      pipe.producer_commit();
    }
    return;
  }
  float sum = 0.0f;
  for (int i = 0; i < rounds; ++i) {
    pipe.consumer_wait();
    pipe.consumer_release();
    sum += stage[i % DEPTH][(threadIdx.x * 5) % 32];
  }
  out[threadIdx.x] = sum;
}

void run(const float* in, float* out, int rounds) { sums<<<1, 96>>>(in, out, rounds); }
