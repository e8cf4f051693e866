// The signal is relaxed.
// expect: stale
struct Signals {
  unsigned at[16][8];
};

__global__ void all_write(float** boxes, Signals** signals, float* out, int rank, int ranks) {
  const int tid = threadIdx.x;
  boxes[rank][tid] = 8.0f;
  __syncthreads();
  if (tid < ranks) {
    asm volatile("st.relaxed.sys.global.u32 [%1], %0;" ::"r"(1u), "l"(&signals[tid]->at[blockIdx.x][rank]) : "memory");  // want FP304
    unsigned seen;
    do {
      asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(&signals[rank]->at[blockIdx.x][tid]) : "memory");
    } while (seen != 1u);
  }
  __syncthreads();
  out[tid] = boxes[(rank + 1) % ranks][tid];
}
