// The boxes of tensor_ptx.cu, but the next one may be copied while one is read.
// expect: violated deadlock
// small: -
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void __launch_bounds__(64) boxes(const __grid_constant__ CUtensorMap map, int* out, int rounds) {
  __shared__ alignas(128) int box[256];
  __shared__ uint64_t come;
  const bool leads = threadIdx.x == 63;
  if (leads) {
    ptx::mbarrier_init(&come, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < rounds; ++i) {
    if (leads) {
      const int32_t at[3] = {0, i, static_cast<int32_t>(blockIdx.x)};
      ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box, &map, at, &come);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &come, 1024);
    }
    while (!ptx::mbarrier_try_wait_parity(&come, i & 1)) {
    }
    sum += box[threadIdx.x * 4] - box[255 - threadIdx.x];
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

void run(CUtensorMap map, int* out, int rounds) { boxes<<<8, 64>>>(map, out, rounds); }
