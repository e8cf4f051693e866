// A warp hands a sum to another by a flag in shared memory, and no fence keeps the sum before the flag.
// expect: holds
// litmus: violated
// small: -

__global__ void pass_on(const float* in, float* out) {
  __shared__ float sum;
  __shared__ volatile int there;
  if (threadIdx.x == 0) there = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    sum = in[0] + in[1];
    there = 1;
  } else if (threadIdx.x == 64) {
    while (there == 0) {
    }
    __threadfence_block();
    out[0] = sum;
  }
}

void launch(const float* in, float* out) { pass_on<<<1, 96>>>(in, out); }
