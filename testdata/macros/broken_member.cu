// The parameter takes the place of the member that is called the same; this does not compile, and says nothing.
// expect: inconclusive
// reason: call of PUT
// small: -
#define GET(i) (tile[63 - (i)])

__global__ void __launch_bounds__(64) mirror(const float* in, float* out) {
  __shared__ float tile[64];
  PUT(in[threadIdx.x]);
  out[threadIdx.x] = GET(threadIdx.x);
}

void run(const float* in, float* out) { mirror<<<1, 64>>>(in, out); }
