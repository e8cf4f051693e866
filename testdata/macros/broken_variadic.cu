// A macro of any number of arguments is not read.
// expect: violated race
// small: -
#define MAYBE(...)

__global__ void __launch_bounds__(64) mirror(const float* in, float* out) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  MAYBE(__syncthreads());
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

void run(const float* in, float* out) { mirror<<<1, 64>>>(in, out); }
