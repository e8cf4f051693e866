// The atomic object that says that a row is there is set without an order.
// expect: violated order
#include <cuda/atomic>

template <cuda::thread_scope Scope>
struct Row {
  cuda::atomic<int, Scope> state;
  float cells[32];

  __device__ void hand_on(float* to, float x, cuda::memory_order order) {
    *to = x;
    state.store(1, order);
  }
};

__global__ void pass_on(Row<cuda::thread_scope_device>* row, float* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    row->hand_on(&row->cells[3], 2.0f, cuda::std::memory_order_relaxed);  // want FP304
  } else {
    while (row->state.load(cuda::std::memory_order_acquire) == 0) {
    }
    out[blockIdx.x] = row->cells[3];
  }
}
