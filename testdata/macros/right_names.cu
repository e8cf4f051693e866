// The body of a macro names what its use sees.
// expect: holds
// small: -
#define PUT(value) tile[threadIdx.x] = value
#define GET(i) (tile[63 - (i)])

__global__ void __launch_bounds__(64) mirror(const float* in, float* out) {
  __shared__ float tile[64];
  PUT(in[threadIdx.x]);
  __syncthreads();
  out[threadIdx.x] = GET(threadIdx.x);
}

void run(const float* in, float* out) { mirror<<<1, 64>>>(in, out); }
