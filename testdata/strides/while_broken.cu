// The loop of rounds_broken.cu as a while loop that goes on by two blocks, with the end on the left.
// expect: violated race
// small: -
__global__ void __launch_bounds__(64) shift(const float* in, float* out, int n) {
  __shared__ float buffer[64];
  int first = 0;
  while (n > first) {
    buffer[threadIdx.x] = in[first + threadIdx.x];  // want FP720
    __syncthreads();
    out[first + threadIdx.x] = buffer[(threadIdx.x + 1) % 64];
    first += 2 * blockDim.x;
  }
}

void run(const float* in, float* out, int n) { shift<<<1, 64>>>(in, out, n); }
