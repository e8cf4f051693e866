// The store is relaxed.
// expect: stale
__device__ __forceinline__ void raise(unsigned* at, unsigned value) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

__device__ __forceinline__ unsigned look(const unsigned* at) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}

__global__ void relay(float* box, unsigned* state, float* out) {
  const int tid = threadIdx.x;
  const int tile = blockIdx.x;
  if (tile == 0) {
    box[tid] = 3.0f;
    raise(state + tid, 1);  // want FP304
  } else {
    while (look(state + tid) == 0) {
    }
    out[tid] = box[tid];
  }
}
