// What a tile has lanes is a constant of a file that is not there: its rank and its size fit together.
// expect: inconclusive
// small: -
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void total(const float* in, float* out) {
  __shared__ float part[512];
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<config::warp_size>(block);
  if (block.thread_rank() / warp.size() == 0) {
    float v = part[warp.thread_rank()];
    for (int d = warp.size() / 2; d > 0; d /= 2) v += warp.shfl_xor(v, d);
    if (warp.thread_rank() == 0) out[0] = v;
  }
}

void launch(const float* in, float* out) { total<<<1, 512>>>(in, out); }
