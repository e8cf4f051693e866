// What a lock is taken for is written without it, too: that the pointer is one to volatile excludes nobody.
// expect: violated race
// small: -

__device__ int taken;

__global__ void note(volatile int* last) {
  if (threadIdx.x == 0) {
    while (atomicCAS(&taken, 0, 1) != 0) {
    }
    __threadfence();
    *last = blockIdx.x;  // want FP720
    __threadfence();
    atomicExch(&taken, 0);
  } else if (threadIdx.x == 40) {
    *last = -1;
  }
}

void launch(int* last) { note<<<2, 64>>>(last); }
