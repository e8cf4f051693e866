// The body is tokens: 2 * 1 + 1 is 3, and nobody meets.
// expect: inconclusive
// small: -
#define WIDTH 1 + 1

__global__ void __launch_bounds__(64) mirror(const float* in, float* out) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  if (2 * WIDTH == 4) {
    __syncthreads();
  }
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

void run(const float* in, float* out) { mirror<<<1, 64>>>(in, out); }
