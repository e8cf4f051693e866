// Who announces the bytes has another token than the others; all have theirs, and a CTA barrier stands behind the wait.
// expect: holds
// small: -
#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace native = cuda::device;

__global__ void __launch_bounds__(96) reversed(const int* in, int* out, int rounds) {
  __shared__ alignas(128) int page[192];
  __shared__ barrier here;
  if (threadIdx.x == 32) {
    init(&here, 96);
    native::experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  for (int i = 0; i < rounds; ++i) {
    barrier::arrival_token mine;
    if (threadIdx.x == 40) {
      native::experimental::cp_async_bulk_global_to_shared(page, in + i * 192, sizeof(page), here);
      mine = native::barrier_arrive_tx(here, 1, sizeof(page));
    } else {
      mine = here.arrive();
    }
    here.wait(std::move(mine));
    const int a = page[191 - threadIdx.x], b = page[95 - threadIdx.x];
    __syncthreads();
    out[i * 192 + threadIdx.x] = a;
    out[i * 192 + 96 + threadIdx.x] = b;
  }
}

void run(const int* in, int* out, int rounds) { reversed<<<1, 96>>>(in, out, rounds); }
