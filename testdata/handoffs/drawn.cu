// CTAs draw what to work on from a counter, and leave out a piece that is its own image: the number is compared with what is worked out of it. Nobody is the last.
// expect: inconclusive
// small: -

__global__ void mirror(float* row, int* next, int pieces) {
  __shared__ int drawn;
  if (threadIdx.x == 0) drawn = atomicAdd(next, 1);
  __syncthreads();
  while (drawn < pieces) {
    const int mine = drawn, other = pieces - 1 - mine;
    if (other != mine) {
      const float a = row[mine * 128 + threadIdx.x];
      row[mine * 128 + threadIdx.x] = a + 1;
    }
    __syncthreads();
    if (threadIdx.x == 0) drawn = atomicAdd(next, 1);
    __syncthreads();
  }
}

void run(float* row, int* next, int pieces) { mirror<<<64, 128>>>(row, next, pieces); }
