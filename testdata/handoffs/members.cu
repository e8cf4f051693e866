// Two arrays of one object, each with elements that the rank chooses: what is written to one is no flag that is polled in the other.
// expect: inconclusive
// small: -

struct alignas(64) Board {
  unsigned epoch;
  unsigned arrived[16];
  unsigned ready[16];
};

__device__ __forceinline__ unsigned acquire(const unsigned* at) {
  unsigned v;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
  return v;
}
__device__ __forceinline__ void release(unsigned* at, unsigned v) { asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(at), "r"(v) : "memory"); }
__device__ __forceinline__ void write(unsigned* at, unsigned v) { asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(at), "r"(v) : "memory"); }

__global__ void exchange(Board* board, float* data, float* out, int n) {
  int rank = blockIdx.x, other = (rank + 1) % gridDim.x;
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[rank * n + i] = i;
  __syncthreads();
  if (threadIdx.x == 0) {
    release(board->ready + rank, 1);
    while (acquire(board->ready + other) == 0) {}
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[rank * n + i] = data[other * n + i];
  if (threadIdx.x == 0) {
    unsigned* arrived = board->arrived;
    write(&arrived[rank], board->epoch);
  }
}

void launch(Board* board, float* data, float* out, int n) { exchange<<<16, 256>>>(board, data, out, n); }
