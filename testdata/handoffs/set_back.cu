// The word that one waits for is set back in the end: nobody goes on for that, whatever was written before.
// expect: holds
__global__ void relay(const float* in, float* row, int* full, int* taken, float* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    row[0] = in[0];
    __threadfence();
    atomicExch(full, 1);
    while (atomicAdd(taken, 0) == 0) {
    }
    row[1] = in[1];
    *(volatile int*)full = 0;
  } else {
    while (atomicAdd(full, 0) == 0) {
    }
    __threadfence();
    out[0] = row[0] + row[1];
    __threadfence();
    atomicExch(taken, 1);
  }
}

void run(const float* in, float* row, int* full, int* taken, float* out) { relay<<<2, 32>>>(in, row, full, taken, out); }
