// An object that is atomic for the threads of a CTA counts them; all have counted before it is read.
// expect: holds
// small: -
#include <cuda/atomic>

__global__ void count(const int* in, int* out) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> found;
  __shared__ int row[64];
  const int t = threadIdx.x;
  if (t == 0) found.store(0, cuda::memory_order_relaxed);
  __syncthreads();
  row[t] = in[t];
  if (in[t] > 0) found++;
  __syncthreads();
  if (t == 0) out[0] = found.load(cuda::memory_order_relaxed) + row[63];
}

void launch(const int* in, int* out) { count<<<1, 64>>>(in, out); }
