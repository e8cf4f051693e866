// Words by which CTAs wait for each other, in functions by themselves: who writes them releases, and who waits acquires nothing.
__device__ void together(unsigned* word, unsigned total) {
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned now;
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(word) : "memory");
    do {
      asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");  // want FP303 "waited for with relaxed order"
    } while (now < total);
  }
  __syncthreads();
}

__device__ void together_acquired(unsigned* word, unsigned total) {
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned now;
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(word) : "memory");
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");
    } while (now < total);
  }
  __syncthreads();
}

// A fence behind the wait makes it an acquire pattern.
__device__ void together_fenced(unsigned* word, unsigned total) {
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned now;
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(word) : "memory");
    do {
      asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");
    } while (now < total);
    __threadfence();
  }
  __syncthreads();
}

// What is called behind the wait may be the fence.
__device__ void behind();
__device__ void together_elsewhere(unsigned* word, unsigned total) {
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned now;
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(word) : "memory");
    do {
      asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");
    } while (now < total);
    behind();
  }
  __syncthreads();
}
