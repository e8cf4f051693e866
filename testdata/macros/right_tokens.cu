// Macros whose parameters and bodies stand in parentheses are what a function would be.
// expect: holds
// small: -
#define TWICE(x) ((x) * 2)
#define WIDTH (1 + 1)

__global__ void __launch_bounds__(64) mirror(const float* in, float* out) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  if (TWICE(WIDTH + 1) == 6) {
    __syncthreads();
  }
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

void run(const float* in, float* out) { mirror<<<1, 64>>>(in, out); }
