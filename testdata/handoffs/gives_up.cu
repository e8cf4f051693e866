// A wait that is too long is given up: the word that says so is written by those who wait, and publishes nothing of what was written before it.
// expect: inconclusive
// small: -

__global__ void __launch_bounds__(32) rounds(unsigned* arrived, unsigned* epoch, unsigned* late, int count) {
  if (threadIdx.x == 0) {
    for (int r = 0; r < count; r++) {
      asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(arrived + blockIdx.x), "r"(r + 1) : "memory");
      unsigned seen = 0, looks = 0;
      while (seen <= r) {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(epoch) : "memory");
        if (++looks > 1000000) *late = 1;
        if (*late) break;
      }
      if (blockIdx.x == 0) asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(epoch), "r"(r + 1) : "memory");
      unsigned other;
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(other) : "l"(arrived + (blockIdx.x ^ 1)) : "memory");
      if (other == 0) return;
    }
  }
}
