// A counter in global memory is cleared by one thread and counted up by all, with no barrier between.
// expect: violated race
// small: -
__global__ void tally(int* counter, int* out) {
  const int t = threadIdx.x;
  if (t == 0) {
    counter[0] = 0;  // want FP720
  }
  atomicAdd(&counter[0], 1);
  __syncthreads();
  out[t] = counter[0];
}

void run(int* counter, int* out) { tally<<<1, 128>>>(counter, out); }
