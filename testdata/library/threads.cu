// No launch says how many threads there are: as many as the collective is made for. Where these are more than a warp, it has the barrier that keeps thread 0 from
// writing the next sum before all have read the last one.
// expect: inconclusive
// small: -

#include <cub/block/block_reduce.cuh>

template <int THREADS>
__global__ void shares(const float* in, float* out, int rows) {
  using Reduce = cub::BlockReduce<float, THREADS>;
  __shared__ typename Reduce::TempStorage storage;
  __shared__ float sum;
  for (int r = 0; r < rows; r++) {
    float v = in[r * THREADS + threadIdx.x];
    float all = Reduce(storage).Sum(v);
    if (threadIdx.x == 0) sum = all;
    __syncthreads();
    out[r * THREADS + threadIdx.x] = v / sum;
  }
}
