// A wait that is too long is given up: the word that says so is written by those who wait, and publishes nothing.
// expect: inconclusive
// small: -

__global__ void __launch_bounds__(32) passed(const float* in, float* out, unsigned* ready, volatile unsigned* late) {
  if (blockIdx.x == 0) {
    out[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    if (threadIdx.x == 0) asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(ready) : "memory");
  } else {
    if (threadIdx.x == 0) {
      unsigned seen = 0;
      for (int n = 0; seen == 0; n++) {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(ready) : "memory");
        if (n > 1000000) *late = 1;
        if (*late) break;
      }
    }
    __syncwarp();
    out[32 * blockIdx.x + threadIdx.x] = out[threadIdx.x] + 1;
  }
}
