// Two CTAs make a pair, and the second one waits for what the first one tells it, in the scope of the device.
// expect: holds
// small: -
#include <cuda/atomic>

using told = cuda::atomic<int, cuda::thread_scope_device>;

__global__ void __launch_bounds__(64) pairs(const float* in, float* between, told* flags, float* out) {
  const int pair = blockIdx.x / 2;
  float* theirs = between + pair * 64;
  if (blockIdx.x % 2 == 0) {
    theirs[threadIdx.x] = 2.0f * in[pair * 64 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) flags[pair].store(1, cuda::memory_order_release);
  } else {
    if (threadIdx.x == 0) {
      while (flags[pair].load(cuda::memory_order_acquire) == 0) {
      }
    }
    __syncthreads();
    out[pair * 64 + threadIdx.x] = theirs[63 - threadIdx.x];
  }
}

void run(const float* in, float* between, told* flags, float* out, int pairs_of) { pairs<<<2 * pairs_of, 64>>>(in, between, flags, out); }
