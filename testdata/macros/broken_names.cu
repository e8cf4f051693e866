// As right_names.cu, without the barrier.
// expect: violated race
// small: -
#define PUT(value) tile[threadIdx.x] = value
#define GET(i) (tile[63 - (i)])

__global__ void __launch_bounds__(64) mirror(const float* in, float* out) {
  __shared__ float tile[64];
  PUT(in[threadIdx.x]);
  out[threadIdx.x] = GET(threadIdx.x);  // want FP720
}

void run(const float* in, float* out) { mirror<<<1, 64>>>(in, out); }
