// Each thread writes its element of a buffer and reads its neighbour's, 128 elements a round, with a barrier between the write
// and the read but none before the next round's write: only more than 128 elements show that.
// expect: violated race
// small: -
__global__ void __launch_bounds__(128) shift(const float* in, float* out, int n) {
  __shared__ float buffer[128];
  for (int first = 0; first < n; first += blockDim.x) {
    const int i = first + threadIdx.x;
    buffer[threadIdx.x] = i < n ? in[i] : 0.0f;
    __syncthreads();
    if (i < n) {
      out[i] = buffer[(threadIdx.x + 1) % 128];  // want FP720
    }
  }
}

void run(const float* in, float* out, int n) { shift<<<1, 128>>>(in, out, n); }
