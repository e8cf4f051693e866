// The argument is tokens: 1 + 1 * 2 is 3, and nobody meets.
// expect: inconclusive
// reason: call of TWICE by its tokens
// small: -
#define TWICE(x) x * 2

__global__ void __launch_bounds__(64) mirror(const float* in, float* out) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  if (TWICE(1 + 1) == 4) {
    __syncthreads();
  }
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

void run(const float* in, float* out) { mirror<<<1, 64>>>(in, out); }
