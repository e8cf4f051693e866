// How large its tiles are the launch says, and no launch is found: a tile has no more than a warp's threads.
// expect: violated race
// small: -
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <int kTile>
__global__ void turned(const float* in, float* out) {
  __shared__ float part[kTile];
  cg::thread_block_tile<kTile> tile = cg::tiled_partition<kTile>(cg::this_thread_block());
  if (threadIdx.x < kTile) {
    part[tile.thread_rank()] = in[tile.thread_rank()];  // want FP720
    out[tile.thread_rank()] = part[kTile - 1 - tile.thread_rank()];
  }
}
