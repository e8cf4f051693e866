// As lacking_extent.cu, without the barrier.
// expect: violated race
// small: -
#ifdef WITH_ROWS
constexpr int rows = 4;
constexpr int threads = rows * 32;
#endif

__global__ void __launch_bounds__(threads) mirror(const float* in, float* out) {
  __shared__ float tile[threads];
  tile[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = tile[threads - 1 - threadIdx.x];  // want FP720
}
