// As refusing.cu, without the barrier.
// expect: violated race
// small: -
#ifndef WITH_ROWS
#error "this needs WITH_ROWS"
#else
#ifdef __HIPCC__
__global__ void __launch_bounds__(64) mirror(const float* in, float* out) {
  __shared__ float row[64];
  row[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  out[blockIdx.x * 64 + threadIdx.x] = row[63 - threadIdx.x];
}
#endif
#endif
