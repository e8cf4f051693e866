// How far a word orders is a constant whose type is that of its value, and what the launch gives the template.
// expect: holds
#include <cuda/atomic>

constexpr auto how_far = cuda::thread_scope_device;
template <cuda::thread_scope S>
using Word = cuda::atomic_ref<int, S>;

template <cuda::thread_scope S>
__global__ void relay(const float* in, float* row, int* full, float* out) {
  Word<S> word(*full);
  if (blockIdx.x == 0) {
    row[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) word.store(1, cuda::std::memory_order_release);
  } else {
    if (threadIdx.x == 0)
      while (Word<how_far>(*full).load(cuda::std::memory_order_acquire) == 0) {
      }
    __syncthreads();
    out[threadIdx.x] = row[63 - threadIdx.x];
  }
}

void run(const float* in, float* row, int* full, float* out) {
  cudaMemset(full, 0, sizeof(int));
  relay<cuda::thread_scope_device><<<2, 64>>>(in, row, full, out);
}
