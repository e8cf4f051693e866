// A lock orders what stands behind it, and not what was written before it was taken.
// expect: violated race
// small: -

__global__ void add_up(const int* in, int* out) {
  __shared__ int taken, sum, most;
  if (threadIdx.x == 0) {
    taken = 0;
    sum = 0;
  }
  most = 0;  // want FP720
  if (threadIdx.x == 77) most = in[77];
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    const int mine = in[threadIdx.x];
    while (atomicCAS(&taken, 0, 1) != 0) {
    }
    __threadfence_block();
    sum += mine;
    __threadfence_block();
    atomicExch(&taken, 0);
  }
  __syncthreads();
  if (threadIdx.x == 0) *out = sum + most;
}

void launch(const int* in, int* out) { add_up<<<1, 256>>>(in, out); }
