// The loop of rounds_right.cu as a while loop that goes on by two blocks, with the end on the left, and a barrier at its end.
// expect: holds
// small: -
__global__ void __launch_bounds__(64) shift(const float* in, float* out, int n) {
  __shared__ float buffer[64];
  int first = 0;
  while (n > first) {
    buffer[threadIdx.x] = in[first + threadIdx.x];
    __syncthreads();
    out[first + threadIdx.x] = buffer[(threadIdx.x + 1) % 64];
    __syncthreads();
    first += 2 * blockDim.x;
  }
}

void run(const float* in, float* out, int n) { shift<<<1, 64>>>(in, out, n); }
