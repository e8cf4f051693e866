// The word of cleared.cu is cleared while the other thread may look at what somebody has left there.
// expect: violated race
// small: -
#include <cuda/atomic>

__global__ void __launch_bounds__(64) passed_on(const int* in, int* out) {
  __shared__ int taken;
  __shared__ cuda::atomic<int, cuda::thread_scope_block> there;
  if (threadIdx.x == 0) there.store(0, cuda::memory_order_relaxed);
  if (threadIdx.x == 0) {
    taken = in[blockIdx.x];
    there.store(1, cuda::memory_order_release);
  } else if (threadIdx.x == 32) {
    while (there.load(cuda::memory_order_acquire) != 1) {
    }
    out[blockIdx.x] = taken;
  }
}

void run(const int* in, int* out) { passed_on<<<1, 64>>>(in, out); }
