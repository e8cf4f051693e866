// Of the last warp's sums nothing says that its lanes go on together, and nothing keeps the next row from being written over them: the one hides the other no more.
// expect: violated race
// small: -
__global__ void __launch_bounds__(128) rows(const float* in, float* out, int n) {
  __shared__ float part[128];
  for (int row = 0; row < n; row++) {
    part[threadIdx.x] = in[row * 128 + threadIdx.x];  // want FP720
    __syncthreads();
    if (threadIdx.x < 64) part[threadIdx.x] += part[threadIdx.x + 64];
    __syncthreads();
    if (threadIdx.x < 32) {
      part[threadIdx.x] += part[threadIdx.x + 32];  // want FP720
      part[threadIdx.x] += part[threadIdx.x + 16];
    }
    __syncthreads();
    out[row * 128 + threadIdx.x] = part[0];
  }
}
void run(const float* in, float* out, int n) { rows<<<1, 128>>>(in, out, n); }
