// No launch says how many threads there are. With one warp a collective has no barrier, and needs none; with more, its storage is used again before all have read it.
// expect: violated race
// small: -

#include <cub/block/block_reduce.cuh>

template <int THREADS>
__global__ void rangeOf(const float* in, float* out, int n) {
  using Reduce = cub::BlockReduce<float, THREADS>;
  __shared__ typename Reduce::TempStorage storage;
  float least = 0, most = 0;
  for (int i = threadIdx.x; i < n; i += THREADS) {
    least = fminf(least, in[i]);
    most = fmaxf(most, in[i]);
  }
  least = Reduce(storage).Reduce(least, cub::Min()); // want FP720
  most = Reduce(storage).Reduce(most, cub::Max());
  if (threadIdx.x == 0) {
    out[0] = least;
    out[1] = most;
  }
}
