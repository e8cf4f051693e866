// The first thread makes the lock free while others may have it: nothing is between that and the first swap.
// expect: violated race
// small: -

__global__ void add_up(const int* in, int* out) {
  __shared__ int taken, sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(&taken, 0);
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&taken, 0, 1) != 0) {
    }
    __threadfence_block();
    sum += in[threadIdx.x];  // want FP720
    __threadfence_block();
    atomicExch(&taken, 0);
  }
  __syncthreads();
  if (threadIdx.x == 0) *out = sum;
}

void launch(const int* in, int* out) { add_up<<<1, 256>>>(in, out); }
