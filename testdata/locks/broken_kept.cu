// The lock of the CTA's is never given back: whoever comes second waits for ever.
// expect: violated livelock
// small: -

__global__ void add_up(const int* in, int* out) {
  __shared__ int taken, sum;
  if (threadIdx.x == 0) {
    taken = 0;
    sum = 0;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&taken, 0, 1) != 0) {  // want FP520
    }
    __threadfence_block();
    atomicAdd(&sum, in[threadIdx.x]);
  }
  __syncthreads();
  if (threadIdx.x == 0) *out = sum;
}

void launch(const int* in, int* out) { add_up<<<1, 256>>>(in, out); }
