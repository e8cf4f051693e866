// A macro that pastes tokens is not read.
// expect: inconclusive
// reason: call of MEET
// small: -
#define MEET(how) if (0) __sync##how()

__global__ void __launch_bounds__(64) mirror(const float* in, float* out) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  MEET(threads);
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

void run(const float* in, float* out) { mirror<<<1, 64>>>(in, out); }
