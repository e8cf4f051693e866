// The collective says how many threads a CTA has, which only the template's number tells: its storage is used again in the next round while the first thread still reads it.
// expect: violated race
// small: -
#include <cub/cub.cuh>

template <int WIDTH>
__global__ void totals(const float* in, float* out, const int* rounds, int n) {
  typedef cub::BlockReduce<float, WIDTH> Reduce;
  __shared__ typename Reduce::TempStorage scratch;
  const int most = rounds[blockIdx.x];
  for (int r = 0; r < most; r++) {
    const float sum = Reduce(scratch).Sum(in[r * n + threadIdx.x]);  // want FP720
    if (threadIdx.x == 0) out[r] = sum;
  }
}
