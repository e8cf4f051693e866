// Whether there is something to be done is looked at without the lock first, and again with it.
// expect: inconclusive
// small: -

__device__ int taken;

__global__ void once(volatile int* made, int* table) {
  if (threadIdx.x != 0) return;
  if (*made == 0) {
    while (atomicCAS(&taken, 0, 1) != 0) {
    }
    __threadfence();
    if (*made == 0) {
      table[0] = 17;
      __threadfence();
      *made = 1;
    }
    __threadfence();
    atomicExch(&taken, 0);
  }
}

void launch(int* made, int* table) { once<<<2, 32>>>(made, table); }
