// One thread of each CTA takes a lock for all of them, and gives it back while others still add.
// expect: violated race
// small: -

__global__ void fold(int* taken, int* rows, const int* in) {
  const int mine = in[blockIdx.x * 64 + threadIdx.x];
  if (threadIdx.x == 0) {
    int before;
    do {
      asm volatile("atom.acquire.gpu.global.cas.b32 %0, [%1], 0, 1;" : "=r"(before) : "l"(taken) : "memory");
    } while (before != 0);
  }
  __syncthreads();
  rows[threadIdx.x] += mine;
  if (threadIdx.x == 0) asm volatile("st.release.gpu.global.b32 [%0], 0;" ::"l"(taken) : "memory");  // want FP305
}

void launch(int* taken, int* rows, const int* in) { fold<<<6, 64>>>(taken, rows, in); }
