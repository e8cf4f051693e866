// Whoever launches the kernel says whether its rows are turned round; that it is made for both is why its template asks. No launch is found.
// expect: violated race
// small: -
template <bool kTurned>
__global__ void __launch_bounds__(128) rows(const float* in, float* out) {
  __shared__ float part[128];
  part[threadIdx.x] = in[threadIdx.x];
  if (kTurned) {
    out[threadIdx.x] = part[127 - threadIdx.x];  // want FP720
  } else {
    out[threadIdx.x] = part[threadIdx.x];
  }
}
