// How many tiles there are says where copies read, and not where they write: a stage is given back before it is read.
// expect: violated race
// small: -
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
#pragma nv_diag_suppress static_var_with_dynamic_init

template <int STAGES, int N>
__global__ void scaled(const float* in, float* out, float by, int tiles) {
  __shared__ float room[STAGES][N];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  const float* from = in + (size_t)blockIdx.x * tiles * N;
  float* to = out + (size_t)blockIdx.x * tiles * N;
  int ahead = 0;
  for (int k = 0; k < tiles; ++k) {
    for (; ahead < tiles && ahead < k + STAGES; ++ahead) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, room[ahead % STAGES], from + (size_t)ahead * N, sizeof(float) * N, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    pipe.consumer_release();
    to[(size_t)k * N + threadIdx.x] = by * room[k % STAGES][N - 1 - threadIdx.x];  // want FP720
  }
}

void run(const float* in, float* out, float by, int blocks, int tiles) { scaled<2, 64><<<blocks, 64>>>(in, out, by, tiles); }
