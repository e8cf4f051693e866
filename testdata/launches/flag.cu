// As broken_flag.cu, with a barrier. It holds with a guess, which is no proof.
// expect: inconclusive
// small: -
template <bool kTurned>
__global__ void __launch_bounds__(128) rows(const float* in, float* out) {
  __shared__ float part[128];
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (kTurned) {
    out[threadIdx.x] = part[127 - threadIdx.x];
  } else {
    out[threadIdx.x] = part[threadIdx.x];
  }
}
