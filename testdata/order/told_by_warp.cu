// Lanes of a warp leave numbers in shared memory, and join before one of them hands their sum to another CTA by a flag.
// expect: holds
// small: -

__global__ void tell(const int* in, int* sum, volatile int* there, int* out) {
  __shared__ int mine[32];
  if (blockIdx.x == 0) {
    mine[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    if (threadIdx.x == 0) {
      sum[0] = mine[31] + mine[7];
      __threadfence();
      *there = 1;
    }
  } else if (threadIdx.x == 0) {
    while (*there != 1) {
    }
    __threadfence();
    out[0] = sum[0];
  }
}

void launch(const int* in, int* sum, int* there, int* out) { tell<<<2, 32>>>(in, sum, there, out); }
