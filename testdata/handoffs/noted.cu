// A lock is had, and that is noted in a variable by which the loop ends; fences stand on both sides.
// expect: holds
__global__ void deposit(int* taken, float* sum, const float* in) {
  const float x = in[blockIdx.x];
  if (threadIdx.x != 0) return;
  bool done = false;
  while (!done) {
    if (atomicCAS(taken, 0, 1) == 0) {
      __threadfence();
      sum[0] += x;
      __threadfence();
      atomicExch(taken, 0);
      done = true;
    }
  }
}

void run(int* taken, float* sum, const float* in) { deposit<<<40, 32>>>(taken, sum, in); }
