// Rows as in native.cu, but the next one may be copied while one is read.
// expect: violated race
// small: -
#include <cuda/barrier>
#include <cuda_runtime.h>

using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace device = cuda::device;

constexpr int TILE = 64;

__global__ void __launch_bounds__(TILE) rows(const float* in, float* out, int rounds) {
  __shared__ alignas(128) float row[TILE];
  __shared__ barrier come;
  __shared__ barrier read;
  if (threadIdx.x == 0) {
    init(&come, blockDim.x);
    init(&read, blockDim.x);
    device::experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < rounds; ++i) {
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
      device::experimental::cp_async_bulk_global_to_shared(row, in + i * TILE, sizeof(row), come);
      token = device::barrier_arrive_tx(come, 1, sizeof(row));
    } else {
      token = come.arrive();
    }
    come.wait(std::move(token));
    sum += row[TILE - 1 - threadIdx.x];
    read.arrive();
  }
  out[threadIdx.x] = sum;
}

void run(const float* in, float* out, int rounds) { rows<<<1, TILE>>>(in, out, rounds); }
