// As broken_guessed.cu, with the lanes of the tile in step.
// expect: inconclusive
// small: -
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <int kTile>
__global__ void turned(const float* in, float* out) {
  __shared__ float part[kTile];
  cg::thread_block_tile<kTile> tile = cg::tiled_partition<kTile>(cg::this_thread_block());
  if (threadIdx.x < kTile) {
    part[tile.thread_rank()] = in[tile.thread_rank()];
    tile.sync();
    out[tile.thread_rank()] = part[kTile - 1 - tile.thread_rank()];
  }
}
